import { scopePath } from '@inventory/contracts/http/parameters';
import {
  agedInventory,
  expiredCursor,
  inventoryAging,
  projectSpendCap,
  triggeredEvent,
  triggeredType,
} from '@inventory/contracts/http/sandbox';
import { watchView } from '@inventory/contracts/http/watches';
import { webhookEndpoint } from '@inventory/contracts/http/webhooks';
import { webhookEndpointId } from '@inventory/contracts/ids';
import { logApi } from '@inventory/contracts/internal/event-log';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { wire } from '@inventory/contracts/wire';
import { configureAccount } from '../accounts/configure-account.ts';
import { dataRoute } from '../http/data-route.ts';
import { exampleCursor } from '../http/openapi/examples.ts';
import type { RevisionStoreClient } from '../pages/revision-store-client.ts';
import type { EventStreamClient } from '../streams/event-stream-client.ts';
import type { PositionCursors } from '../streams/position-cursor.ts';
import { runSoon } from '../watches/manage-watches.ts';
import type { WatchServices } from '../watches/open-watches.ts';
import { watchExample } from '../watches/watch-operation.ts';
import { readView } from '../watches/watch-view.ts';
import { endpointExample } from '../webhooks/webhook-endpoint-routes.ts';

/** What the states of a sandbox are made with: the ordinary operations of each feature. */
export interface SandboxServices extends WatchServices {
  readonly revisions: RevisionStoreClient;
  readonly log: EventStreamClient;
  readonly positions: PositionCursors;
  /** Claims the watches that are due then, on this replica. */
  readonly wakeWatchesIn: (pauseMs: number) => void;
}

/** Of every operation of a sandbox. */
const verb = { tag: 'Sandbox', environment: 'sandbox', method: 'POST' } as const;

const runWatchNowRoute = dataRoute({
  ...verb,
  operationId: 'runWatchNow',
  summary: 'Run a watch now',
  description:
    'Its next run is due in a second, and is made or paused as any other. A run that is open is not ' +
    'repeated.',
  template: '/v2/sandbox/watches/{platform_id}/{app_id}/{context_id}/run',
  input: { path: scopePath },
  response: {
    status: 202,
    description: 'The watch, due soon.',
    data: watchView,
    example: watchExample,
  },
  errors: ['watch_not_found'],
  async handle(services: SandboxServices, { path: scope }, { principal: { projectId } }) {
    const watch = await runSoon(services, { projectId, scope });
    services.wakeWatchesIn(Math.max(0, watch.nextRefreshAtMs - services.clock.now()));
    return { data: await readView(services, watch) };
  },
});

const expireCursorRoute = dataRoute({
  ...verb,
  operationId: 'expireCursor',
  summary: 'An expired cursor of the events',
  description:
    'The event list refuses it with `cursor_expired`; the event stream ends with ' +
    '`stream.recovery_required`. Store it in place of the cursor of a client.',
  template: '/v2/sandbox/expired-cursor',
  input: {},
  response: {
    status: 200,
    description: 'A cursor of this Project, of an earlier log.',
    data: expiredCursor,
    example: { cursor: exampleCursor },
  },
  errors: [],
  async handle({ log, positions, clock }: SandboxServices, _, { principal: { projectId } }) {
    const { logEpoch } = await log.readLogBatch(projectId, 0, 1);
    const ended = { logEpoch: logEpoch - 1, position: 0, asOfMs: clock.now() };
    return { data: { cursor: positions.seal(projectId, ended) } };
  },
});

const triggerEventRoute = dataRoute({
  ...verb,
  operationId: 'triggerEvent',
  summary: 'Trigger an event',
  description:
    'Appends an event of this type to the log of the Project, from where streams and webhooks have it ' +
    'as any other. Nothing has happened: the ids in it are made up.',
  template: '/v2/sandbox/events',
  input: { body: triggeredType },
  bodyExample: { type: 'account.balance.low' },
  response: {
    status: 201,
    description: 'The event is in the log.',
    data: triggeredEvent,
    example: { event_id: 'evt_0198c0de-0000-5000-8000-000000000008' },
  },
  errors: [],
  async handle({ webhooks }: SandboxServices, { body: { type } }, { principal }) {
    const { accountId, projectId } = principal;
    const sample = { path: { projectId }, body: { accountId, type } };
    return { data: await webhooks.call(logApi.appendSample, sample) };
  },
});

const setSandboxSpendCapRoute = dataRoute({
  ...verb,
  operationId: 'setSandboxSpendCap',
  summary: 'Exhaust the spend cap of the Project',
  description:
    'Sets what the Project may spend in a UTC month. With 0 every purchase is refused with ' +
    '`spend_cap_reached`, and watches pause; with null there is no cap.',
  template: '/v2/sandbox/spend-cap',
  input: { body: projectSpendCap },
  bodyExample: { cap: 0 },
  response: {
    status: 200,
    description: 'The cap is set.',
    data: projectSpendCap,
    example: { cap: 0 },
  },
  errors: [],
  async handle(services: SandboxServices, { body: { cap } }, { requestId, principal }) {
    const { accountId, projectId } = principal;
    const change = { sets: 'spend_cap', projectId, cap } as const;
    await configureAccount(services, { accountId, requestId }, change);
    return { data: { cap } };
  },
});

const failWebhookEndpointRoute = dataRoute({
  ...verb,
  operationId: 'failWebhookEndpoint',
  summary: 'Fail a webhook endpoint until it is disabled',
  description:
    'As if its requests had failed for five days: it is `disabled` with the reason `failing`, and ' +
    'what it was to be sent fails with `endpoint_disabled`. Enable it as any other.',
  template: '/v2/sandbox/webhook-endpoints/{endpoint_id}/fail',
  input: { path: wire({ endpointId: webhookEndpointId }) },
  response: {
    status: 200,
    description: 'The endpoint, disabled.',
    data: webhookEndpoint,
    example: { ...endpointExample, state: 'disabled', disabled_reason: 'failing' },
  },
  errors: ['webhook_endpoint_not_found'],
  async handle({ webhooks }: SandboxServices, { path }, { principal: { projectId } }) {
    const data = await webhooks.call(webhookApi.failEndpoint, { path: { projectId, ...path } });
    return { data };
  },
});

const ageInventoryRoute = dataRoute({
  ...verb,
  operationId: 'ageInventory',
  summary: 'Age a saved inventory',
  description:
    'As if everything saved of it were so much older: `verified_at`, `age_seconds` and ' +
    '`max_age_seconds` follow. After a day cursors of superseded revisions have expired, and their ' +
    'changes later; after 180 days nothing is saved.',
  template: '/v2/sandbox/inventories/{platform_id}/{app_id}/{context_id}/age',
  input: { path: scopePath, body: inventoryAging },
  bodyExample: { seconds: 86_400 },
  response: {
    status: 200,
    description: 'When it was verified now; null where nothing is saved any more.',
    data: agedInventory,
    example: { verified_at: '2026-01-14T10:00:00.000Z' },
  },
  errors: ['inventory_revision_not_found'],
  handle: async ({ revisions }: SandboxServices, { path, body }) => ({
    data: await revisions.ageInventory(path, body),
  }),
});

/** What puts a sandbox into a state, in the order of the reference. */
export const sandboxRoutes = [
  runWatchNowRoute,
  expireCursorRoute,
  triggerEventRoute,
  setSandboxSpendCapRoute,
  failWebhookEndpointRoute,
  ageInventoryRoute,
];
