import { accountId, projectId } from '@inventory/contracts/ids';
import { eventText } from '@inventory/contracts/internal/event-log';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { workField, workIndex } from '@inventory/work/work-field';
import type { Db } from 'mongodb';
import { z } from 'zod';

/**
 * One entry of a Project's log. Its `_id`, Project and position, is acquired by insert. Its event is the
 * text that was written when it was announced first.
 */
const logEntry = z.object({
  _id: z.string(),
  projectId,
  accountId,
  position: z.int(),
  event: eventText,
  appendedAt: z.date(),
});
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
        keys: { projectId: 1, 'event.id': 1 },
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
