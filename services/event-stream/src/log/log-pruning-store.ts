import type { ProjectId } from '@inventory/contracts/ids';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { deleteInBatches, retryOnce } from '@inventory/mongo/many-documents';
import { parseDocument, readFirst } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import { createWorkQueue } from '@inventory/work/work-queue';
import {
  type LogCollections,
  type LogEntryDocument,
  logDocuments,
  type OldEntry,
  type PrunedEventDocument,
} from './log-document.ts';
import { byId, entriesAfter } from './project-log-store.ts';

/** A log that is due for pruning. */
export interface DueLog {
  readonly projectId: ProjectId;
  /** Position of its last claim. */
  readonly position: number | null;
}

const withoutText = { projection: { 'event.json': 0 } } as const;

/** Which logs have entries to prune, and when; and their oldest entries. */
export type LogPruning = ReturnType<typeof createLogPruning>;

export function createLogPruning({ log, pruned, claims }: LogCollections, logger: Logger) {
  const fromDoc = (stored: LogEntryDocument) => [parseDocument(logDocuments.old, stored)];

  return {
    /** Logs, due when their oldest entry is old enough. A log that was idle for as long is in it no more. */
    queue: createWorkQueue({
      collection: claims,
      documents: logDocuments.pruning,
      completed: 'kept',
      logger,
      projection: { position: 1, work: 1 },
      toItem: ({ _id, position = null }): DueLog => ({ projectId: _id as ProjectId, position }),
    }),
    /** The oldest entries of a Project, ascending. */
    listOldest(projectId: ProjectId, limit: number): Promise<OldEntry[]> {
      const oldest = log
        .find(entriesAfter(projectId, 0), { ...withoutText, ...byId })
        .sort({ _id: 1 });
      return readFirst(oldest, limit, fromDoc, logger);
    },
    /** Records the positions of the oldest entries, then deletes everything up to the last of them. */
    async removeEntries(entries: readonly OldEntry[], nowMs: number): Promise<void> {
      const last = entries.at(-1);
      if (last === undefined) return;
      const positions = entries.map(
        ({ event: { id: _id }, projectId, position }): PrunedEventDocument => ({
          _id,
          projectId,
          position,
          prunedAtMs: nowMs,
        }),
      );
      // A run that was interrupted between the two writes is repeated: its positions exist already.
      await refusedWrites(pruned.insertMany(positions, { ordered: false }));
      const { projectId, _id } = entriesAfter(last.projectId, 0);
      const pruning = { projectId, _id: { $gt: _id.$gt, $lte: last._id } };
      await retryOnce(() => log.deleteMany(pruning));
    },
    /** Deletes positions recorded before this. */
    async removePositionsBefore(timeMs: number): Promise<void> {
      await deleteInBatches(pruned, { prunedAtMs: { $lt: timeMs } });
    },
  };
}
