import type { ProjectId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { LogEntryDocument, PrunedEventDocument } from './log-document.ts';
import { type LogCollections, placesAfter } from './project-log-store.ts';

/** Deletes old entries of the logs. */
export interface LogPruning {
  /** Projects with an entry older than this, each once. */
  listProjectsOlderThan(timeMs: number): AsyncIterable<ProjectId>;
  /** The oldest entries of a Project, ascending. */
  listOldest(projectId: ProjectId, limit: number): Promise<OldEntry[]>;
  /** Records the positions, then deletes the entries. */
  removeEntries(entries: readonly OldEntry[], nowMs: number): Promise<void>;
  /** Deletes positions recorded before this. */
  removePositionsBefore(timeMs: number): Promise<void>;
}

export type OldEntry = Pick<
  LogEntryDocument,
  '_id' | 'projectId' | 'position' | 'eventId' | 'appendedAt'
>;

const withoutEvent = { projection: { event: 0, json: 0 } } as const;

export function createLogPruning({ log, pruned }: LogCollections): LogPruning {
  return {
    async *listProjectsOlderThan(timeMs) {
      const seen = new Set<ProjectId>();
      const old = log.find({ appendedAt: { $lt: new Date(timeMs) } }, withoutEvent);
      for await (const { projectId } of old.sort({ appendedAt: 1 })) {
        if (seen.has(projectId)) continue;
        seen.add(projectId);
        yield projectId;
      }
    },
    listOldest: (projectId, limit) =>
      log
        .find({ _id: placesAfter(projectId, 0) }, withoutEvent)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    async removeEntries(entries, nowMs) {
      if (entries.length === 0) return;
      const positions = entries.map(
        ({ eventId, projectId, position }): PrunedEventDocument => ({
          _id: eventId,
          projectId,
          position,
          prunedAt: new Date(nowMs),
        }),
      );
      await insertMissing(pruned, positions);
      await log.deleteMany({ _id: { $in: entries.map(({ _id }) => _id) } });
    },
    async removePositionsBefore(timeMs) {
      await pruned.deleteMany({ prunedAt: { $lt: new Date(timeMs) } });
    },
  };
}

/** A run that was interrupted between the two writes is repeated: its positions exist already. */
async function insertMissing(
  pruned: LogCollections['pruned'],
  positions: readonly PrunedEventDocument[],
): Promise<void> {
  try {
    await pruned.insertMany([...positions], { ordered: false });
  } catch (error) {
    if (!duplicateKeyOf(error)) throw error;
  }
}
