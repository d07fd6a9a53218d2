import { appendedEntriesMax, logApi } from '@inventory/contracts/internal/event-log';
import { internalRoute } from '@inventory/http/internal-route';
import type { Clock } from '@inventory/runtime/clock';
import { toLogBatch } from './log-batch.ts';
import type { ProjectLog } from './project-log-store.ts';
import { readAppendedHeads } from './read-appended-heads.ts';

export interface LogRoutesDeps {
  readonly log: ProjectLog;
  readonly logEpoch: number;
  readonly clock: Clock;
}

/** Heads and batches of logs. */
export const logRoutes = [
  internalRoute({
    ...logApi.readHeads,
    async handle({ log, logEpoch }: LogRoutesDeps, { body }) {
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
    async handle(deps: LogRoutesDeps, { query: { sinceMs = null } }) {
      const read = await readAppendedHeads(deps, sinceMs, appendedEntriesMax);
      return { logEpoch: deps.logEpoch, ...read };
    },
  }),
  internalRoute({
    ...logApi.readLogBatch,
    async handle({ log, logEpoch }: LogRoutesDeps, { path: { projectId }, query }) {
      const [head, [oldest], items] = await Promise.all([
        log.readHead(projectId),
        log.listAfter(projectId, 0, 1),
        log.listAfter(projectId, query.after, query.limit),
      ]);
      return toLogBatch({ logEpoch, after: query.after, head, oldest, items });
    },
  }),
];
