import { projectPath } from '@inventory/contracts/http/parameters';
import {
  deletedWatch,
  watchBody,
  watchesQuery,
  watchList,
  watchScopePath,
  watchTest,
  watchView,
} from '@inventory/contracts/http/watches';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { Refused } from '@inventory/http/refused';
import { requireEvents } from '../http/authorize.ts';
import { dataRoute, partOf } from '../http/data-route.ts';
import { exampleIds } from '../http/openapi/examples.ts';
import { nextPart, sameProject, scopeOf } from '../http/openapi/links.ts';
import { listParts } from '../http/sealed-cursor.ts';
import { buyerOf } from '../tenancy/principal.domain.ts';
import { listWatchRunsRoute } from './list-watch-runs-route.ts';
import { putWatch } from './manage-watches.ts';
import type { WatchServices } from './open-watches.ts';
import { putWatchesRoute } from './put-watches-route.ts';
import type { Watch } from './watch.domain.ts';
import {
  watchExample,
  watchesTemplate,
  watchLinks,
  watchOperation,
  watchTemplate,
} from './watch-operation.ts';
import { watchKeyOf } from './watch-store.ts';
import { readView, watchViewOf } from './watch-view.ts';

const putWatchRoute = dataRoute({
  ...watchOperation,
  operationId: 'putWatch',
  summary: 'Watch an inventory',
  description:
    'Refreshes the inventory once in every period, at a time of its own. Each run is a refresh with ' +
    '`watch_id`: it holds, costs and announces as one, does not count against the request rate, and ' +
    'is skipped while admission is closed or the run before it is open. A paused watch resumes. ' +
    'With `dry_run` nothing is stored.',
  method: 'PUT',
  template: watchTemplate,
  input: { path: watchScopePath, body: watchBody },
  bodyExample: { every_seconds: 3_600, max_credits_per_day: 500 },
  response: {
    status: 200,
    description: 'The watch as it is now; in a dry run as it would be.',
    data: watchView,
    example: watchExample,
    links: watchLinks('/data'),
    also: { status: 201, description: 'The inventory is watched from now on.' },
  },
  errors: ['watch_limit_exceeded'],
  async handle(services: WatchServices, { path, body }, { principal }) {
    const { projectId: _, ...scope } = path;
    const { dryRun: isDryRun, ...settings } = body;
    const put = await putWatch(services, { ...settings, ...buyerOf(principal), scope }, isDryRun);
    const data = await readView(services, put.watch);
    return { status: put.status, data: put.isStored ? data : { ...data, watchId: null } };
  },
});

const readWatchRoute = dataRoute({
  ...watchOperation,
  operationId: 'readWatch',
  summary: 'A watch',
  description: 'The watch of an inventory, with what it is expected to cost and the most it can.',
  method: 'GET',
  template: watchTemplate,
  input: { path: watchScopePath },
  response: { status: 200, description: 'The watch.', data: watchView, example: watchExample },
  errors: ['watch_not_found'],
  async handle(services: WatchServices, { path: { projectId, ...scope } }) {
    const found = await services.watches.findWatch(projectId, scope);
    if (found === null) throw new Refused({ code: 'watch_not_found' });
    return { data: await readView(services, found) };
  },
});

const listWatchesRoute = dataRoute({
  ...watchOperation,
  operationId: 'listWatches',
  summary: 'Watches of a Project',
  description: 'By inventory. `last_outcome` is that of the last run whose end is recorded.',
  method: 'GET',
  template: watchesTemplate,
  input: { path: projectPath, query: watchesQuery },
  response: partOf(watchList, watchExample, {
    ...watchLinks('/data/items/0'),
    putWatch: { ...sameProject, ...scopeOf('/data/items/0') },
    listWatches: { ...sameProject, ...nextPart() },
  }),
  errors: ['invalid_cursor'],
  async handle(
    { watches, prices, cursors }: WatchServices,
    { path: { projectId }, query: { state, limit, cursor } },
  ) {
    const parts = listParts(cursors, ['watches', projectId]);
    const after = parts.begin(cursor);
    const found = await watches.listWatches({ projectId, state, after, limit: limit + 1 });
    const list = await prices.readPrices();
    const keyIn = ({ scope }: Watch) => watchKeyOf(projectId, scope);
    const { items, pagination } = parts.take(found, limit, keyIn);
    return { data: { items: items.map((one) => watchViewOf(one, list)), pagination } };
  },
});

const deleteWatchRoute = dataRoute({
  ...watchOperation,
  operationId: 'deleteWatch',
  summary: 'Delete a watch',
  description: 'There are no further runs. One that is open ends as any refresh.',
  method: 'DELETE',
  template: watchTemplate,
  input: { path: watchScopePath },
  response: {
    status: 200,
    description: 'Deleted.',
    data: deletedWatch,
    example: { watch_id: exampleIds.watch, deleted: true },
  },
  errors: ['watch_not_found'],
  async handle({ watches }: WatchServices, { path: { projectId, ...scope } }) {
    const deleted = await watches.deleteWatch(projectId, scope);
    if (deleted === null) throw new Refused({ code: 'watch_not_found' });
    return { data: { watchId: deleted.watchId, deleted: true as const } };
  },
});

const testWatchesRoute = dataRoute({
  ...watchOperation,
  operationId: 'testWatches',
  summary: 'Send a sample event',
  description:
    'Sends a signed `inventory.refresh.completed` with `data.test: true` to each enabled webhook ' +
    'endpoint of the Project that subscribes to that type. Free; nothing is refreshed, and the event ' +
    'is in no log and on no stream.',
  method: 'POST',
  template: `${watchesTemplate}/test`,
  input: { path: projectPath },
  response: {
    status: 202,
    description: 'The sample is sent; its deliveries are listed with those of the endpoints.',
    data: watchTest,
    example: {
      event_id: 'evt_0198c0de-0000-7000-8000-000000000010',
      endpoints: [exampleIds.webhookEndpoint],
    },
  },
  errors: [],
  async handle({ webhooks }: WatchServices, { path }, { principal }) {
    requireEvents(principal);
    return { data: await webhooks.call(webhookApi.sendSample, { path }) };
  },
});

/** The inventories that a Project watches, in the order of the reference. */
export const watchRoutes = [
  putWatchRoute,
  putWatchesRoute,
  readWatchRoute,
  listWatchesRoute,
  listWatchRunsRoute,
  deleteWatchRoute,
  testWatchesRoute,
];
