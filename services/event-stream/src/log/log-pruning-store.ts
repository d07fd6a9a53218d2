import type { ProjectId } from '@inventory/contracts/ids';
import type { EventText } from '@inventory/contracts/internal/event-log';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import { createWorkQueue, makeDue } from '@inventory/work/work-queue';
import type { Collection } from 'mongodb';
import {
  type LogEntryDocument,
  type LogPruningDocument,
  logDocuments,
  type PrunedEventDocument,
} from './log-document.ts';
import { idsAfter, type LogCollections } from './project-log-store.ts';

export interface OldEntry
  extends Pick<LogEntryDocument, '_id' | 'projectId' | 'position' | 'appendedAt'> {
  readonly event: Pick<EventText, 'id'>;
}

const withoutText = { projection: { 'event.json': 0 } } as const;
const logsPerCommand = 100;
/** Logs that are known to be in the queue. */
const knownMax = 50_000;
/** More than the clocks of replicas differ. */
const clockSkewMs = 60_000;

/** Which logs have entries to prune, and when; and their oldest entries. */
export type LogPruning = ReturnType<typeof createLogPruning>;

export function createLogPruning(
  { log, pruned, pruning }: LogCollections & { readonly pruning: Collection<LogPruningDocument> },
  { clock, logger, keepMs }: { clock: Pick<Clock, 'now'>; logger: Logger; keepMs: number },
) {
  /** A log stays in the queue for as long as its entries are kept. */
  const knownUntilMs = createRecentlyUsed<ProjectId, number>(knownMax);
  const additions = createBatcher<{ projectId: ProjectId; dueAtMs: number }, null>({
    ...sharedCommands,
    itemsMax: logsPerCommand,
    async flush(wanted) {
      const due = wanted.map(({ projectId: _id, dueAtMs }) => ({ which: { _id }, dueAtMs }));
      await makeDue(pruning, due, { insertMissing: true });
      return wanted.map(() => null);
    },
  });

  return {
    /** Logs, due when their oldest entry is old enough. A log that was idle for as long is in it no more. */
    queue: createWorkQueue({
      ...{ collection: pruning, documents: logDocuments.pruning, completed: 'deleted', logger },
      toItem: ({ _id }) => _id as ProjectId,
    }),
    /** The log has an entry more. */
    async appended(projectId: ProjectId, appendedAtMs: number): Promise<void> {
      if ((knownUntilMs.get(projectId) ?? 0) > clock.now()) return;
      await additions.add({ projectId, dueAtMs: appendedAtMs + keepMs });
      knownUntilMs.set(projectId, appendedAtMs + keepMs - clockSkewMs);
    },
    /** The oldest entries of a Project, ascending. */
    listOldest: (projectId: ProjectId, limit: number): Promise<OldEntry[]> =>
      log
        .find({ _id: idsAfter(projectId, 0) }, withoutText)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    /** Records the positions, then deletes the entries. */
    async removeEntries(entries: readonly OldEntry[], nowMs: number): Promise<void> {
      if (entries.length === 0) return;
      const prunedAt = dateOf(nowMs);
      const positions = entries.map(
        ({ event: { id: _id }, projectId, position }): PrunedEventDocument => ({
          ...{ _id, projectId, position, prunedAt },
        }),
      );
      // A run that was interrupted between the two writes is repeated: its positions exist already.
      await refusedWrites(pruned.insertMany(positions, { ordered: false }));
      await log.deleteMany({ _id: { $in: entries.map(({ _id }) => _id) } });
    },
    /** Deletes positions recorded before this. */
    async removePositionsBefore(timeMs: number): Promise<void> {
      await pruned.deleteMany({ prunedAt: { $lt: dateOf(timeMs) } });
    },
  };
}
