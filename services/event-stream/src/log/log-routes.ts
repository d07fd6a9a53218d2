import type { ProjectId } from '@inventory/contracts/ids';
import { appendedEntriesMax, type LogHeads, logApi } from '@inventory/contracts/internal/event-log';
import { internalRoute } from '@inventory/http/internal-route';
import type { Clock } from '@inventory/runtime/clock';
import { toLogBatch } from './log-batch.ts';
import { announceEvent, type OnAppended } from './on-announcements.ts';
import type { Logs } from './open-log.ts';
import { writeSampleEvent } from './project-event.ts';
import type { ProjectLog } from './project-log-store.ts';

interface LogRouteServices extends Logs {
  readonly onAppended: OnAppended;
}

/** Heads and batches of logs, and samples. */
export const logRoutes = [
  internalRoute({
    ...logApi.readHeads,
    async handle({ log, logEpoch }: LogRouteServices, { body }) {
      const heads = await Promise.all(
        body.projectIds.map(async (projectId) => ({
          projectId,
          position: await log.readHead(projectId),
        })),
      );
      return { logEpoch, heads };
    },
  }),
  internalRoute({
    ...logApi.readAppendedHeads,
    async handle(logs: LogRouteServices, { query: { sinceMs = null } }) {
      const read = await readAppendedHeads(logs, sinceMs, appendedEntriesMax);
      return { logEpoch: logs.logEpoch, ...read };
    },
  }),
  internalRoute({
    ...logApi.readLogBatch,
    async handle({ log, logEpoch }: LogRouteServices, { path: { projectId }, query }) {
      const [head, [oldest], items] = await Promise.all([
        log.readHead(projectId),
        log.listAfter(projectId, 0, 1),
        log.listAfter(projectId, query.after, query.limit),
      ]);
      return toLogBatch({ logEpoch, after: query.after, head, oldest, items });
    },
  }),
  internalRoute({
    ...logApi.appendSample,
    async handle(logs: LogRouteServices, { path: { projectId }, body: { accountId, type } }) {
      const owner = { accountId, projectId };
      const event = writeSampleEvent(type, owner, logs.identifiers, logs.clock.now());
      await announceEvent(logs, owner, event, logs.onAppended);
      return { eventId: event.id };
    },
  }),
];

export interface AppendedHeadsRead {
  readonly heads: readonly LogHeads['heads'][number][];
  /** Where the next read starts. */
  readonly nextSinceMs: number;
  readonly hasMore: boolean;
}

/** Longer than clocks of replicas differ and an insert takes after its time was read. */
const overlapMs = 30_000;

/** The last positions appended since a time, per Project: the cost follows entries, not Projects. */
export async function readAppendedHeads(
  { log, clock }: { readonly log: ProjectLog; readonly clock: Clock },
  sinceMs: number | null,
  entriesMax: number,
): Promise<AppendedHeadsRead> {
  const nowMs = clock.now();
  const nextSinceMs = nowMs - overlapMs;
  if (sinceMs === null) return { heads: [], nextSinceMs, hasMore: false };
  const entries = await log.listAppendedSince(sinceMs, entriesMax);
  const last = new Map<ProjectId, number>();
  for (const { projectId, position } of entries) {
    last.set(projectId, Math.max(position, last.get(projectId) ?? 0));
  }
  const heads = [...last].map(([projectId, position]) => ({ projectId, position }));
  // After what is dated in the future there is nothing yet: the next read begins at its time again,
  // else it would skip what is appended until then.
  const newest = entries.at(-1);
  const isFull = newest !== undefined && entries.length === entriesMax;
  if (!isFull || newest.appendedAtMs > nowMs) {
    return { heads, nextSinceMs, hasMore: false };
  }
  // A full batch of one millisecond is not read twice.
  const continuedMs = Math.max(newest.appendedAtMs, sinceMs + 1);
  return { heads, nextSinceMs: continuedMs, hasMore: true };
}
