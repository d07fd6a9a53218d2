import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import { watchRunList, watchRunsQuery, watchScopePath } from '@inventory/contracts/http/watches';
import type { EventId } from '@inventory/contracts/ids';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { Refused } from '@inventory/http/refused';
import { uuidV5 } from '@inventory/runtime/identifiers';
import { dataRoute, partOf } from '../http/data-route.ts';
import { exampleIds } from '../http/openapi/examples.ts';
import { nextPart, sameProject, sameScope } from '../http/openapi/links.ts';
import { refreshParts } from '../refreshes/list-refreshes-route.ts';
import type { WatchServices } from './open-watches.ts';
import { watchOperation, watchTemplate } from './watch-operation.ts';
import { watchKeyOf } from './watch-store.ts';

/** GET …/watches/{platform_id}/{app_id}/{context_id}/runs: newest first. */
export const listWatchRunsRoute = dataRoute({
  ...watchOperation,
  operationId: 'listWatchRuns',
  summary: 'Runs of a watch',
  description:
    'Newest first, each for 30 days after it is completed, with the state of the deliveries of its event.',
  method: 'GET',
  template: `${watchTemplate}/runs`,
  input: { path: watchScopePath, query: watchRunsQuery },
  response: partOf(
    watchRunList,
    {
      refresh_id: exampleIds.refresh,
      at: '2026-01-15T10:00:00.000Z',
      outcome: 'complete_unchanged',
      credits_charged: 1,
      units_charged: 0,
      event_id: 'evt_0198c0de-0000-5000-8000-000000000008',
      deliveries: [{ endpoint_id: exampleIds.webhookEndpoint, state: 'delivered' }],
    },
    { listWatchRuns: { ...sameProject, ...sameScope, ...nextPart() } },
  ),
  errors: ['watch_not_found', 'invalid_cursor'],
  async handle({ watches, collector, webhooks, cursors }: WatchServices, { path, query }) {
    const { projectId, ...scope } = path;
    const parts = refreshParts(cursors, ['watch-runs', watchKeyOf(projectId, scope)]);
    const after = parts.begin(query.cursor);
    const watch = await watches.findWatch(projectId, scope);
    if (watch === null) throw new Refused({ code: 'watch_not_found' });
    const { charged, limit } = query;
    const part = await collector.listRefreshes(watch.accountId, {
      path: { projectId },
      query: {
        state: [],
        refreshId: [],
        outcome: [],
        watchId: watch.watchId,
        charged,
        limit,
        ...after,
      },
    });
    const { items } = part;
    const input = { path: { projectId }, query: { eventId: items.map(eventOf) } };
    const deliveries =
      items.length === 0 ? [] : (await webhooks.call(webhookApi.listEventDeliveries, input)).items;
    const toRun = (record: RefreshRecord) => ({
      ...record,
      atMs: record.requestedAtMs,
      ...chargeOf(record.billing),
      eventId: eventOf(record),
      deliveries: deliveries.filter(({ eventId }) => eventId === eventOf(record)),
    });
    return { data: { items: items.map(toRun), pagination: parts.paginationAfter(part) } };
  },
});

/** Both are null until it is settled; then one is what it cost, the other 0. */
function chargeOf({ creditsCharged, unitsCharged }: RefreshRecord['billing']) {
  const isOpen = creditsCharged === null;
  return { creditsCharged, unitsCharged: isOpen ? null : (unitsCharged ?? 0) };
}

/** As the event-stream makes it: a refresh has one. */
function eventOf({ refreshId }: RefreshRecord): EventId {
  return `evt_${uuidV5(refreshId, 'inventory.refresh.completed')}`;
}
