import { accountId, projectId } from '@inventory/contracts/ids';
import { eventText } from '@inventory/contracts/internal/event-log';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { workField, workIndex } from '@inventory/work/work-field';
import type { Db } from 'mongodb';
import { z } from 'zod';

/**
 * One entry of a Project's log. Its `_id` is Project and position, as they were claimed. Its event is the
 * text that was written when it was announced first.
 */
const logEntry = z.object({
  _id: z.string(),
  projectId,
  accountId,
  position: z.int(),
  event: eventText.out,
  appendedAtMs: z.int(),
});
export type LogEntryDocument = Readonly<z.infer<typeof logEntry>>;

/** Of an entry, what is read where its text is not needed. */
const appendedEntry = logEntry.pick({ projectId: true, position: true, appendedAtMs: true });
export type AppendedPosition = Readonly<z.infer<typeof appendedEntry>>;

const oldEntry = appendedEntry.extend({ _id: z.string(), event: eventText.out.pick({ id: true }) });
export type OldEntry = Readonly<z.infer<typeof oldEntry>>;

/** The position of an event whose entry was pruned: announced again, it keeps its position. */
const prunedEvent = z.object({
  /** The event's id. */
  _id: z.string(),
  projectId,
  position: z.int(),
  prunedAtMs: z.int(),
});
export type PrunedEventDocument = Readonly<z.infer<typeof prunedEvent>>;

/**
 * The last claim of a log, and when it is pruned. The `_id` is its Project; it is never deleted, so
 * that no position is given twice. Its collection has the name of what it held first.
 */
const logClaim = z.object({
  _id: z.string(),
  /** Absent in a document of the version before. */
  position: z.int().exactOptional(),
  accountId: accountId.exactOptional(),
  event: eventText.out.exactOptional(),
  /** Absent while there is nothing to prune. */
  work: workField.exactOptional(),
});
export type LogClaimDocument = Readonly<z.infer<typeof logClaim>>;

/** A log that is due for pruning. */
const logPruning = logClaim.pick({ _id: true, position: true, work: true });

export const logDocuments = {
  entry: { collection: 'projectLog', schema: logEntry },
  appended: { collection: 'projectLog', schema: appendedEntry },
  old: { collection: 'projectLog', schema: oldEntry },
  pruned: { collection: 'prunedEvents', schema: prunedEvent },
  claim: { collection: 'logPruning', schema: logClaim },
  pruning: { collection: 'logPruning', schema: logPruning },
};

export type LogCollections = ReturnType<typeof openLogCollections>;

export function openLogCollections(db: Db) {
  return {
    log: db.collection<LogEntryDocument>(logDocuments.entry.collection),
    pruned: db.collection<PrunedEventDocument>(logDocuments.pruned.collection),
    claims: db.collection<LogClaimDocument>(logDocuments.claim.collection),
  };
}

export const logIndexes: readonly CollectionIndexes[] = [
  {
    collection: logDocuments.entry.collection,
    shardKey: { projectId: 1 },
    indexes: [
      // A refresh has one entry, however often and on however many replicas it is announced.
      {
        name: 'project_event_id',
        keys: { projectId: 1, 'event.id': 1 },
        options: { unique: true },
      },
      // Covers the read of appended heads.
      { name: 'appended', keys: { appendedAtMs: 1, projectId: 1, position: 1 } },
    ],
  },
  {
    collection: logDocuments.pruned.collection,
    shardKey: { _id: 1 },
    indexes: [{ name: 'pruned_at', keys: { prunedAtMs: 1 } }],
  },
  { collection: logDocuments.claim.collection, shardKey: { _id: 1 }, indexes: [workIndex] },
];
