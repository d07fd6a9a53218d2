import { eventTypeName } from '@inventory/contracts/http/project-event';
import { accountId, eventId, projectId, refreshId, revisionId } from '@inventory/contracts/ids';
import { inventoryKey } from '@inventory/contracts/inventory-key';
import { refreshOutcome } from '@inventory/contracts/vocabulary';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { workField, workIndex } from '@inventory/work/work-field';
import type { Db } from 'mongodb';
import { z } from 'zod';
import type { LoggedEvent } from './project-event.domain.ts';

const common = { id: eventId, version: z.literal(1), occurredAt: z.string(), projectId };
const loggedEvent: z.ZodType<LoggedEvent> = z.discriminatedUnion('type', [
  z.object({
    ...common,
    type: z.literal('inventory.refresh.completed'),
    refreshId,
    outcome: refreshOutcome,
    inventory: inventoryKey.nullable().optional(),
    revisionId: revisionId.nullable().optional(),
  }),
  z.object({
    ...common,
    type: z.literal('account.balance.low'),
    available: z.int(),
    threshold: z.int(),
  }),
]);

const entryFields = {
  _id: z.string(),
  projectId,
  accountId,
  position: z.int(),
  eventId,
  appendedAt: z.date(),
};

/** One entry of a Project's log. Its `_id`, Project and position, is acquired by insert. */
const logEntry = z.union([
  z.object({ ...entryFields, type: eventTypeName, json: z.string() }),
  /** Of an earlier version. */
  z.object({ ...entryFields, event: loggedEvent }),
]);
export type LogEntryDocument = Readonly<z.infer<typeof logEntry>>;

/** The position of an event whose entry was pruned: announced again, it keeps its position. */
const prunedEvent = z.object({
  /** The event's id. */
  _id: z.string(),
  projectId,
  position: z.int(),
  prunedAt: z.date(),
});
export type PrunedEventDocument = Readonly<z.infer<typeof prunedEvent>>;

/** A log with entries to prune: the `_id` is its Project. */
const logPruning = z.object({ _id: z.string(), work: workField.exactOptional() });
export type LogPruningDocument = Readonly<z.infer<typeof logPruning>>;

export const logDocuments = {
  entry: { collection: 'projectLog', schema: logEntry },
  pruned: { collection: 'prunedEvents', schema: prunedEvent },
  pruning: { collection: 'logPruning', schema: logPruning },
};

export function openLogCollections(db: Db) {
  return {
    log: db.collection<LogEntryDocument>(logDocuments.entry.collection),
    pruned: db.collection<PrunedEventDocument>(logDocuments.pruned.collection),
    pruning: db.collection<LogPruningDocument>(logDocuments.pruning.collection),
  };
}

export const logIndexes: readonly CollectionIndexes[] = [
  {
    collection: logDocuments.entry.collection,
    indexes: [
      // A refresh has one entry, however often and on however many replicas it is announced.
      // It begins with the Project, by which the log can be sharded.
      {
        name: 'project_event_id',
        keys: { projectId: 1, eventId: 1 },
        options: { unique: true },
      },
      // Covers the read of appended heads.
      { name: 'appended', keys: { appendedAt: 1, projectId: 1, position: 1 } },
    ],
  },
  {
    collection: logDocuments.pruned.collection,
    indexes: [{ name: 'pruned_at', keys: { prunedAt: 1 } }],
  },
  { collection: logDocuments.pruning.collection, indexes: [workIndex] },
];
