import type { ProjectId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import type { LogEntryDocument, PrunedEventDocument } from './collections.ts';
import { type LogCollections, placesAfter } from './project-log.ts';

/** Takes old entries out of the logs. */
export interface LogPruning {
  /** Projects that have an entry older than this, each once. */
  projectsOlderThan(timeMs: number): AsyncIterable<ProjectId>;
  /** The oldest entries of a Project, ascending. */
  oldest(projectId: ProjectId, limit: number): Promise<OldEntry[]>;
  /** Remembers the places, then removes the entries. */
  remove(entries: readonly OldEntry[], nowMs: number): Promise<void>;
  /** Forgets places that were remembered before this. */
  forgetBefore(timeMs: number): Promise<void>;
}

export type OldEntry = Pick<
  LogEntryDocument,
  '_id' | 'projectId' | 'position' | 'eventId' | 'appendedAt'
>;

const withoutEvent = { projection: { event: 0 } } as const;

export function createLogPruning({ log, pruned }: LogCollections): LogPruning {
  return {
    async *projectsOlderThan(timeMs) {
      const seen = new Set<ProjectId>();
      const old = log.find({ appendedAt: { $lt: new Date(timeMs) } }, withoutEvent);
      for await (const { projectId } of old.sort({ appendedAt: 1 })) {
        if (seen.has(projectId)) continue;
        seen.add(projectId);
        yield projectId;
      }
    },
    oldest: (projectId, limit) =>
      log
        .find({ _id: placesAfter(projectId, 0) }, withoutEvent)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    async remove(entries, nowMs) {
      if (entries.length === 0) return;
      const places = entries.map(
        ({ eventId, projectId, position }): PrunedEventDocument => ({
          _id: eventId,
          projectId,
          position,
          prunedAt: new Date(nowMs),
        }),
      );
      await insertMissing(pruned, places);
      await log.deleteMany({ _id: { $in: entries.map(({ _id }) => _id) } });
    },
    async forgetBefore(timeMs) {
      await pruned.deleteMany({ prunedAt: { $lt: new Date(timeMs) } });
    },
  };
}

/** A try that was cut short between the two writes is repeated: its places are there already. */
async function insertMissing(
  pruned: LogCollections['pruned'],
  places: readonly PrunedEventDocument[],
): Promise<void> {
  try {
    await pruned.insertMany([...places], { ordered: false });
  } catch (error) {
    if (!duplicateKeyOf(error)) throw error;
  }
}
