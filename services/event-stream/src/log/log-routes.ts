import { appendedEntriesMax, logApi } from '@inventory/contracts/internal/event-log';
import { internalRoute } from '@inventory/http/internal-route';
import { toLogBatch } from './log-batch.ts';
import type { Logs } from './open-log.ts';
import { readAppendedHeads } from './read-appended-heads.ts';

/** Heads and batches of logs. */
export const logRoutes = [
  internalRoute({
    ...logApi.readHeads,
    async handle({ log, logEpoch }: Logs, { body }) {
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
    async handle(logs: Logs, { query: { sinceMs = null } }) {
      const read = await readAppendedHeads(logs, sinceMs, appendedEntriesMax);
      return { logEpoch: logs.logEpoch, ...read };
    },
  }),
  internalRoute({
    ...logApi.readLogBatch,
    async handle({ log, logEpoch }: Logs, { path: { projectId }, query }) {
      const [head, [oldest], items] = await Promise.all([
        log.readHead(projectId),
        log.listAfter(projectId, 0, 1),
        log.listAfter(projectId, query.after, query.limit),
      ]);
      return toLogBatch({ logEpoch, after: query.after, head, oldest, items });
    },
  }),
];
