import { appendedEntriesMax, logApi } from '@inventory/contracts/internal/event-log';
import { internalRoute } from '@inventory/http/internal-route';
import { toLogBatch } from './log-batch.ts';
import { announceEvent, type OnAppended } from './on-announcements.ts';
import type { Logs } from './open-log.ts';
import { writeSampleEvent } from './project-event.ts';
import { readAppendedHeads } from './read-appended-heads.ts';

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
