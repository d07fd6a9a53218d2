import { plainMeta } from '@inventory/contracts/http/meta';
import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import { watchRunList, watchRunsQuery, watchScopePath } from '@inventory/contracts/http/watches';
import { type EventId, refreshId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { uuidV5 } from '@inventory/runtime/identifiers';
import { z } from 'zod';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { exampleCursor, exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameProject, sameScope } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import { openOrRefuse } from '../http/sealed-cursor.ts';
import {
  type WatchRoutesDeps,
  watchPermission,
  watchTag,
  watchTemplate,
} from './watch-operation.ts';
import { placeOf } from './watch-store.ts';

const position = z.tuple([z.iso.datetime(), refreshId]);

/** GET …/watches/{platform_id}/{app_id}/{context_id}/runs: newest first. */
export const listWatchRunsRoute = publicRoute({
  operationId: 'listWatchRuns',
  tag: watchTag,
  summary: 'Runs of a watch',
  description:
    'Newest first, each for 30 days after it is completed, with the state of the deliveries of its event.',
  method: 'GET',
  template: `${watchTemplate}/runs`,
  permission: watchPermission,
  input: { path: watchScopePath, query: watchRunsQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
    links: { listWatchRuns: { ...sameProject, ...sameScope, ...nextPart() } },
    body: { data: watchRunList, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [
          {
            refresh_id: exampleIds.refresh,
            at: '2026-01-15T10:00:00.000Z',
            outcome: 'complete_unchanged',
            credits_charged: 1,
            event_id: 'evt_0198c0de-0000-5000-8000-000000000008',
            deliveries: [{ endpoint_id: exampleIds.webhookEndpoint, state: 'delivered' }],
          },
        ],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'watch_not_found', 'invalid_cursor'],
  async handle(deps: WatchRoutesDeps, { path, query }, { requestId, principal }) {
    const { project_id: projectId, ...scope } = path;
    requireOwnProject(principal, projectId);
    const { watches, collector, webhooks, cursors } = deps;
    const binding = ['watch-runs', placeOf(projectId, scope)];
    const after =
      query.cursor === undefined ? null : afterOf(openOrRefuse(cursors, query.cursor, binding));
    const watch = await watches.findWatch(projectId, scope);
    if (watch === null) throw new Refused({ code: 'watch_not_found' });
    const { items, has_more } = await collector.listRefreshes(projectId, {
      states: [],
      refreshIds: [],
      watchId: watch.id,
      chargedOnly: query.charged === 'true',
      limit: query.limit,
      after,
    });
    const deliveries = await webhooks.listEventDeliveries(projectId, items.map(eventOf));
    const last = has_more ? items.at(-1) : undefined;
    const next_cursor = last
      ? cursors.seal(JSON.stringify([last.requested_at, last.refresh_id]), binding)
      : null;
    const data = {
      items: items.map((record) => ({
        refresh_id: record.refresh_id,
        at: record.requested_at,
        outcome: record.outcome,
        credits_charged: record.billing.units_charged ?? record.billing.credits_charged,
        event_id: eventOf(record),
        deliveries: deliveries
          .filter(({ event_id }) => event_id === eventOf(record))
          .map(({ endpoint_id, state }) => ({ endpoint_id, state })),
      })),
      pagination: { has_more: next_cursor !== null, next_cursor },
    };
    return { status: 200, body: envelope(data, { request_id: requestId }) };
  },
});

function afterOf(content: string) {
  const [requestedAt, after] = position.parse(JSON.parse(content));
  return { requestedAt, refreshId: after };
}

/** As the event-stream makes it: a refresh has one. */
function eventOf({ refresh_id }: Pick<RefreshRecord, 'refresh_id'>): EventId {
  return `evt_${uuidV5(refresh_id, 'inventory.refresh.completed')}`;
}
