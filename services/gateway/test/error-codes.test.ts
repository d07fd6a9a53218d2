import { type ErrorCode, errorCodeNames, errorCodes } from '@inventory/contracts/http/error-codes';
import { errorBody } from '@inventory/contracts/http/meta';
import { newRefreshId, newScope } from '@inventory/testkit/builders';
import type { ApiAnswer, ApiCall } from './support/api-call.ts';
import { completedView, refused } from './support/fake-collector.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { currentPathOf, refreshPathOf, statusPathOf } from './support/paths.ts';
import { sendRaw } from './support/raw-call.ts';
import {
  type GatewayWorld,
  impatientLimits,
  openWorld,
  startTestGateway,
  type TestGateway,
} from './support/test-gateway.ts';

let world: GatewayWorld;
let gateway: TestGateway;
let impatient: TestGateway;

beforeAll(async () => {
  world = await openWorld();
  [gateway, impatient] = await Promise.all([
    startTestGateway(world),
    startTestGateway(world, { limits: impatientLimits }),
  ]);
});
afterEach(() => world?.reset());
afterAll(() => world?.close());

/** Codes of operations that these routes do not have: live pages, streams and webhooks. */
const ofOtherRoutes: readonly ErrorCode[] = [
  'inventory_private',
  'inventory_not_found',
  'stream_limit_exceeded',
  'upstream_unavailable',
  'upstream_timeout',
  'webhook_endpoint_not_found',
  'event_not_found',
  'webhook_endpoint_limit_reached',
];

const newKey = (overrides = {}) => world.issue(overrides).key;
const call = (given: ApiCall) => gateway.call(given);
const status = (key: string, id = newRefreshId()) => call({ path: statusPathOf(id), key });

function post(given: Partial<ApiCall> = {}): Promise<ApiAnswer> {
  const path = refreshPathOf(newScope());
  return call({ method: 'POST', path, key: newKey(), body: { max_credits: 125 }, ...given });
}

function decided(refusal: Parameters<typeof refused>[0]) {
  world.collector.decide = () => refused(refusal);
  return post();
}

function savedScope() {
  const scope = newScope();
  saveInventory(world.revisions, scope, { pages: [membersText('1'), membersText('2')] });
  return scope;
}

async function startedRefresh(key: string): Promise<string> {
  return (await post({ key })).json.data.refresh_id;
}

async function twice(first: unknown, second: unknown): Promise<ApiAnswer> {
  const given = {
    key: newKey(),
    path: refreshPathOf(newScope()),
    headers: { 'Idempotency-Key': 'k' },
  };
  await post({ ...given, body: first });
  return await post({ ...given, body: second });
}

/** How a client gets each code from these routes. */
const ways: Partial<Record<ErrorCode, () => Promise<ApiAnswer>>> = {
  missing_api_key: () => call({ path: statusPathOf(newRefreshId()) }),
  invalid_api_key: () => status('inv_unknown'),
  permission_denied: () => post({ key: newKey({ scopes: [] }) }),
  malformed_request: () => sendRaw(gateway.url, 'GET / HTTP/1.1\r\nno colon\r\n\r\n'),
  headers_too_large: () =>
    sendRaw(gateway.url, `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
  invalid_request: () => post({ body: { max_credits: '125' } }),
  malformed_json: () => post({ body: '{' }),
  unsupported_media_type: () => post({ headers: { 'content-type': 'text/plain' } }),
  payload_too_large: () => post({ body: { max_credits: 125, language: 'x'.repeat(17_000) } }),
  not_acceptable: () => post({ headers: { accept: 'text/html' } }),
  max_credits_too_low: () => post({ body: { max_credits: 124 } }),
  invalid_cursor: () => call({ path: `${currentPathOf(newScope())}?cursor=forged`, key: newKey() }),
  cursor_expired: async () => {
    const scope = savedScope();
    const key = newKey();
    const first = await call({ path: currentPathOf(scope), key });
    world.revisions.inventories.clear();
    const { next_cursor } = first.json.data.pagination;
    return call({ path: `${currentPathOf(scope)}?cursor=${next_cursor}`, key });
  },
  route_not_found: () => call({ path: '/v2/nothing' }),
  method_not_allowed: () => call({ method: 'DELETE', path: statusPathOf(newRefreshId()) }),
  refresh_not_found: () => status(newKey()),
  project_not_found: () => {
    const path = '/v2/projects/prj_01890000-0000-7000-8000-000000000000/inventory-refreshes';
    return call({ path, key: newKey() });
  },
  inventory_revision_not_found: () => call({ path: currentPathOf(newScope()), key: newKey() }),
  insufficient_credits: () =>
    decided({ code: 'insufficient_credits', required: 125, available: 1 }),
  insufficient_units: () => decided({ code: 'insufficient_units', required: 125, available: 1 }),
  spend_cap_reached: () => decided({ code: 'spend_cap_reached', required: 125, available: 1 }),
  idempotency_conflict: () => twice({ max_credits: 125 }, { max_credits: 126 }),
  idempotency_in_progress: () => {
    world.collector.decide = () => ({ decision: 'duplicate', winner_refresh_id: newRefreshId() });
    return post({ headers: { 'Idempotency-Key': 'held by another attempt' } });
  },
  refresh_already_completed: async () => {
    const key = newKey();
    const id = await startedRefresh(key);
    const view = world.collector.views.get(id);
    if (view) world.collector.views.set(id, completedView(view));
    return call({ method: 'POST', path: `${statusPathOf(id)}/cancel`, key });
  },
  rate_limit_exceeded: () => status(newKey({ requestsPerMinute: 0 })),
  outstanding_limit_exceeded: () =>
    decided({ code: 'outstanding_limit_exceeded', limit: 1_000, retry_after_seconds: 4 }),
  product_unavailable: () =>
    decided({ code: 'product_unavailable', reason: 'operator_closed', retry_after_seconds: 30 }),
  billing_unavailable: () => {
    world.ledger.answersCharge = () => false;
    return impatient.call({ path: currentPathOf(savedScope()), key: newKey() });
  },
  service_unavailable: () => {
    world.collector.decide = () => null;
    const path = refreshPathOf(newScope());
    return impatient.call({ method: 'POST', path, key: newKey(), body: { max_credits: 125 } });
  },
  internal_error: () => {
    world.revisions.answerInstead = () => ({ status: 200, body: 'no page', headers: {} });
    return call({ path: currentPathOf(newScope()), key: newKey() });
  },
};

/** Needs a request that does not end within a minute: shown by the server's own test. */
const tooSlowForHere: readonly ErrorCode[] = ['request_timeout'];

const expected = errorCodeNames.filter(
  (code) => !ofOtherRoutes.includes(code) && !tooSlowForHere.includes(code),
);

test('every code that these routes can answer has a way to be seen', () => {
  expect(Object.keys(ways).sort()).toEqual([...expected].sort());
});

test.each(expected)('%s is seen over HTTP as the contract has it', async (code) => {
  const answer = await (ways[code] ?? fail)();

  expect(answer.json.error.code).toBe(code);
  expect(answer.status).toBe(errorCodes[code].status);
  const { error } = errorBody.strict().parse(answer.json);
  expect(error.message).toBe(errorCodes[code].message);
  expect(error.request_id).toBe(answer.headers['x-request-id']);
  expect(answer.headers['retry-after'] !== undefined).toBe(errorCodes[code].retryAfter);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
});

function fail(): never {
  throw new Error('no way is known');
}
