import { errorBody, type errorMeta } from '@inventory/contracts/http/error-body';
import { watchLink } from '@inventory/contracts/http/watches';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import {
  type FundsRefusal,
  hasRetryAfter,
  type RefreshRefusal,
  type Refusal,
} from '@inventory/contracts/refusal';
import { type PublicCode, publicCodes, refusalCodes } from '@inventory/contracts/refusal-codes';
import { sentFields } from '@inventory/contracts/wire';
import { ServiceUnreachable } from '@inventory/http/internal-client';
import { systemClock } from '@inventory/runtime/clock';
import { asSent } from '@inventory/testkit/as-sent';
import { newAccountId, newRefreshId, newSandboxScope, newScope } from '@inventory/testkit/builders';
import type { z } from 'zod';
import { chargedCodes, errorCodesOf, ofNobody } from '../src/http/openapi/error-responses.ts';
import type { PublicEndpoint } from '../src/http/public-route.ts';
import { v1OriginalText } from '../src/http/v1/v1-failures.ts';
import { replaysMax } from '../src/pages/read-key.domain.ts';
import { publicRoutes } from '../src/public-routes.ts';
import type { Principal } from '../src/tenancy/principal.domain.ts';
import { sandboxTwinId } from '../src/tenancy/sandbox-twin.ts';
import type { ApiCall, ApiResponse } from './support/api-call.ts';
import { completedView, refused } from './support/fake-collector.ts';
import { noPage, setLiveInventory } from './support/fake-live-pages.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { world } from './support/file-world.ts';
import { refusalResponse } from './support/http-fake.ts';
import { mayAll, rightCall, wrongCall } from './support/operation-calls.ts';
import { currentPathOf, refreshPathOf, statusPathOf } from './support/paths.ts';
import { impatientLimits, patientDeadlines } from './support/patience.ts';
import { noKeyIsOpen } from './support/settled-keys.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

let gateway: TestGateway;
let impatient: TestGateway;

beforeAll(async () => {
  const { findPrincipal } = world;
  // The store of keys can be unavailable or broken for every operation.
  Object.assign(world, {
    findPrincipal: async (secret: string) => {
      if (secret === 'away') throw new ServiceUnreachable('keys are unavailable');
      if (secret === 'broken') throw new TypeError('keys are broken');
      return await findPrincipal(secret);
    },
  });
  [gateway, impatient] = await Promise.all([
    startTestGateway(world),
    startTestGateway(world, {
      limits: impatientLimits,
      deadlines: { ...patientDeadlines, undecidedReadMs: 0 },
      livePages: { cursorAgeMaxMs: 0 },
      openRequestsPerMinute: 1,
      // Every cursor of the other one is older than nothing.
      clock: { now: () => systemClock.now() + 1 },
    }),
  ]);
});

/** Said before a request has an operation: shown for the connection as a whole. */
const ofTheConnection: readonly PublicCode[] = [
  'malformed_request',
  'headers_too_large',
  'request_timeout',
];
/** Shown by the tests of the public app, and of the sandbox. */
const ofNoOperation: readonly PublicCode[] = [
  ...ofTheConnection,
  'route_not_found',
  'method_not_allowed',
];
/** Of streams and logs, shown by the tests of these two operations. */
const ofEvents: Readonly<Record<string, readonly PublicCode[]>> = {
  streamEvents: ['invalid_cursor', 'stream_limit_exceeded'],
  listEvents: ['cursor_expired'],
};

/** Shown by the tests of these operations. */
const ofCredentials: Readonly<Record<string, readonly PublicCode[]>> = {
  issueCredential: ['credential_limit_reached', 'idempotency_conflict'],
  rotateCredential: ['credential_revoked', 'idempotency_conflict'],
};

/** One request of one operation, made so that it meets one code. */
interface Case {
  readonly endpoint: PublicEndpoint;
  readonly scope: InventoryKey;
  readonly key: string;
  readonly principal: Principal;
  readonly right: ApiCall;
  send(changes?: Partial<ApiCall>, at?: TestGateway): Promise<ApiResponse>;
}

function caseOf(endpoint: PublicEndpoint, overrides: Partial<Principal> = {}): Case {
  const isSandbox = endpoint.environment === 'sandbox';
  const ofSandbox = isSandbox && { accountId: sandboxTwinId(newAccountId()) };
  const { key, principal } = world.issue({ ...mayAll, ...ofSandbox, ...overrides });
  const scope = isSandbox ? newSandboxScope() : newScope();
  const pages = [membersText('1'), membersText('2')];
  saveInventory(world.revisions, scope, { pages });
  setLiveInventory(world.collector.live, scope, { pages });
  const right = rightCall(endpoint.operationId, scope, principal);
  const send: Case['send'] = (changes = {}, at = gateway) => {
    const headers = { ...right.headers, ...changes.headers };
    return at.call({ ...right, key, ...changes, headers });
  };
  return { endpoint, scope, key, principal, right, send };
}

const withQuery = (path: string, query: string) => ({
  path: `${path}${path.includes('?') ? '&' : '?'}${query}`,
});

function refusing(refusal: RefreshRefusal) {
  return ({ send }: Case) => {
    world.collector.decide = () => refused(refusal);
    return send();
  };
}

function webhooksRefusing(refusal: Refusal) {
  return ({ send }: Case) => {
    world.webhooks.refusal = refusal;
    return send();
  };
}

function lacking(code: FundsRefusal['code']) {
  const cap = { cap: 5, spent: 5, resets_at: '2030-01-01T00:00:00.000Z' };
  const refusal: FundsRefusal =
    code === 'spend_cap_reached'
      ? { code, detail: cap }
      : { code, detail: { required: 125, available: 1 } };
  return (given: Case) => {
    if (given.endpoint.operationId === 'requestRefresh') {
      return refusing(refusal)(given);
    }
    world.ledger.refuseCharge = () => refusal;
    return given.send();
  };
}

async function keyInUse({ endpoint, send, right }: Case): Promise<ApiResponse> {
  const headers = { 'Idempotency-Key': 'k' };
  if (endpoint.operationId === 'requestRefresh') {
    world.collector.decide = () => ({ decision: 'duplicate', winnerRefreshId: newRefreshId() });
    return await send({ headers });
  }
  const booked = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  world.ledger.beforeCharge = () => {
    begun.resolve();
    return booked.promise;
  };
  const first = send({ headers });
  await begun.promise;
  const second = await send({ ...right, headers }, impatient);
  booked.resolve();
  await first;
  return second;
}

async function keyOfOthers(given: Case): Promise<ApiResponse> {
  const { endpoint, send, right } = given;
  if (endpoint.operationId === 'rotateWebhookSecret') {
    return await webhooksRefusing({ code: 'idempotency_conflict' })(given);
  }
  const headers = { 'Idempotency-Key': 'k' };
  await send({ headers });
  const body =
    endpoint.operationId === 'createWebhookEndpoint'
      ? { ...Object(right.body), description: 'other' }
      : { max_credits: 126 };
  return endpoint.input.body
    ? await send({ headers, body })
    : await send({ ...withQuery(right.path, 'language=german'), headers });
}

async function keyReplayedTooOften({ send }: Case): Promise<ApiResponse> {
  const headers = { 'Idempotency-Key': 'k' };
  const paid = await send({ headers });
  expect(paid.status).toBe(200);
  await noKeyIsOpen(world);
  for (let replay = 0; replay < replaysMax; replay += 1) await send({ headers });
  return await send({ headers });
}

async function oldCursor({ endpoint, send, right }: Case): Promise<ApiResponse> {
  if (endpoint.operationId === 'exportCurrent') {
    const observation = 'invobs_01900000-0000-7000-8000-000000000000';
    return send(withQuery(right.path, `observation_id=${observation}`));
  }
  const first = await send();
  world.revisions.inventories.clear();
  return send(withQuery(right.path, `cursor=${first.json.data.pagination.next_cursor}`), impatient);
}

async function cancelledTooLate({ key, send, scope }: Case): Promise<ApiResponse> {
  const body = { max_credits: 125 };
  const path = refreshPathOf(scope);
  const started = await gateway.call({ method: 'POST', path, key, body });
  const id: string = started.json.data.refresh_id;
  const view = world.collector.views.get(id);
  if (view) world.collector.views.set(id, completedView(view));
  return await send({ path: `${statusPathOf(id)}/cancel` });
}

const platform = (trouble: Parameters<typeof noPage>[0]) => (given: Case) => {
  world.collector.live.respondInstead = () => noPage(trouble, 3);
  return given.send();
};

const newRevisionId = () => `invrev_${newRefreshId()}` as const;

const foreignProject = 'prj_01890000-0000-7000-8000-000000000000';

/** How each code is met, by whichever operation can answer it. */
const ways: Partial<Record<PublicCode, (given: Case) => Promise<ApiResponse>>> = {
  missing_api_key: ({ right }) => gateway.call(right),
  invalid_api_key: ({ send }) => send({ key: 'inv_unknown' }),
  permission_denied: ({ endpoint }) =>
    caseOf(endpoint, { permissions: [], networkPolicies: [['192.0.2.0/24']] }).send(),
  rate_limit_exceeded: async ({ endpoint, send }) => {
    if (!endpoint.isOpen) return caseOf(endpoint, { requestsPerMinute: 0 }).send();
    await send({}, impatient);
    return await send({}, impatient);
  },
  not_acceptable: ({ send }) => send({ headers: { accept: 'image/png' } }),
  service_unavailable: ({ endpoint, send }) => {
    world.collector.http.isDown = endpoint.isOpen === true;
    return send({ key: 'away' });
  },
  internal_error: ({ endpoint, send }) => {
    world.collector.knowsGateway = !endpoint.isOpen;
    return send({ key: 'broken' });
  },
  invalid_request: ({ endpoint, right, send }) => send(wrongCall(endpoint.operationId, right)),
  malformed_json: ({ send }) => send({ body: '{' }),
  unsupported_media_type: ({ send }) => send({ headers: { 'content-type': 'text/plain' } }),
  payload_too_large: ({ endpoint, send }) =>
    send({ body: ' '.repeat((endpoint.bodyBytesMax ?? 16 * 1024) + 1) }),
  max_credits_too_low: ({ send }) => send({ body: { max_credits: 124 } }),
  invalid_cursor: ({ endpoint, right, send }) =>
    send(
      withQuery(
        right.path,
        `${'after' in sentFields(endpoint.input.query) ? 'after' : 'cursor'}=no`,
      ),
    ),
  cursor_expired: oldCursor,
  revision_expired: ({ scope, send }) => {
    const detail = { revision_id: newRevisionId(), links: { current: currentPathOf(scope) } };
    world.revisions.respondInstead = () => refusalResponse({ code: 'revision_expired', detail });
    return send();
  },
  refresh_not_found: ({ send }) => send(),
  project_not_found: ({ endpoint, right, send }) =>
    endpoint.operationId === 'readUsage'
      ? send(withQuery(right.path, `project_id=${foreignProject}`))
      : send({ path: right.path.replace(/prj_[^/]+/, foreignProject) }),
  async webhook_endpoint_not_found({ send }) {
    const headers = { 'Idempotency-Key': 'k' };
    // Of an endpoint that its key has created.
    await send({ headers });
    world.webhooks.refusal = { code: 'webhook_endpoint_not_found' };
    return await send({ headers });
  },
  event_not_found: webhooksRefusing({ code: 'event_not_found' }),
  webhook_endpoint_limit_reached: webhooksRefusing({
    code: 'webhook_endpoint_limit_reached',
    detail: { limit: 10 },
  }),
  watch_not_found: ({ send }) => send(),
  credential_not_found: ({ send }) => send(),
  async watch_limit_exceeded({ key, principal, send }) {
    const watched = { method: 'PUT', key, body: { every_seconds: 300 } } as const;
    for (const scope of [newScope(), newScope(), newScope()]) {
      await gateway.call({ ...watched, path: watchLink(principal.projectId, scope) });
    }
    return await send();
  },
  secret_rotation_in_progress: webhooksRefusing({
    code: 'secret_rotation_in_progress',
    detail: { ends_at: '2030-01-01T00:00:00.000Z' },
  }),
  inventory_revision_not_found: ({ send }) => {
    world.revisions.inventories.clear();
    return send();
  },
  inventory_private: platform('private'),
  inventory_not_found: platform('not_found'),
  upstream_unavailable: platform('throttled'),
  upstream_timeout: platform('timeout'),
  insufficient_credits: lacking('insufficient_credits'),
  insufficient_units: lacking('insufficient_units'),
  spend_cap_reached: lacking('spend_cap_reached'),
  idempotency_conflict: keyOfOthers,
  idempotency_in_progress: keyInUse,
  replays_exhausted: keyReplayedTooOften,
  refresh_already_completed: cancelledTooLate,
  outstanding_limit_exceeded: refusing({
    code: 'outstanding_limit_exceeded',
    detail: { limit: 'account_count', outstanding_max: 1_000 },
    retry_after_seconds: 4,
  }),
  product_unavailable: refusing({
    code: 'product_unavailable',
    detail: { admission_state: 'closed', reason: 'operator_closed' },
    retry_after_seconds: 30,
  }),
  billing_unavailable: ({ send }) => {
    world.ledger.decidesCharge = () => false;
    return send({}, impatient);
  },
};

const cases = publicRoutes.flatMap((endpoint) =>
  errorCodesOf(endpoint)
    .filter((code) => !ofNoOperation.includes(code))
    .filter((code) => !ofEvents[endpoint.operationId]?.includes(code))
    .filter((code) => !ofCredentials[endpoint.operationId]?.includes(code))
    .map((code) => ({ name: endpoint.operationId, code, endpoint })),
);

test.each(cases)(
  '$name answers $code as documented, with its billing [error-codes]',
  async ({ code, endpoint }) => {
    const way = ways[code];
    if (way === undefined) throw new Error(`how ${code} is met is not known`);

    const response = await way(caseOf(endpoint));

    expect([response.status, saidCode(endpoint, code, response)]).toEqual([
      refusalCodes[code].status,
      code,
    ]);
    expect(response.headers['retry-after'] !== undefined).toBe(hasRetryAfter(code));
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['x-request-id']).toMatch(/^req_/);
    if (endpoint.dialect !== undefined) return;
    const { error, meta } = asSent(errorBody, response.json);
    expectBilling(endpoint, code, meta);
    expect(error.message).toBe(refusalCodes[code].message);
    expect(error.request_id).toBe(response.headers['x-request-id']);
  },
);

/** Met here while the account is read, so that it is not known. */
const withoutAccount: readonly PublicCode[] = [
  ...ofNobody,
  'internal_error',
  'service_unavailable',
];

/** The billing words of a failure: those of a billed operation, once the account is known. */
function expectBilling(
  { product, environment = 'live', isOpen = false }: PublicEndpoint,
  code: PublicCode,
  meta: z.input<typeof errorMeta>,
): void {
  const isKnown = !isOpen && !withoutAccount.includes(code);
  expect(meta.environment).toBe(isKnown ? environment : undefined);
  if (product === undefined || !isKnown) {
    expect(Object.keys(meta)).toEqual(['request_id', ...(isKnown ? ['environment'] : [])]);
    return;
  }
  const isCharged = chargedCodes.includes(code);
  expect(meta).toMatchObject({
    product_code: product,
    price_version: 1,
    credits_charged: isCharged ? 1 : 0,
    billing_disposition: isCharged ? 'charged' : 'not_charged',
  });
  expect(meta).toHaveProperty('billing_reason');
  if (isCharged) expect(meta).toHaveProperty('credits_remaining');
}

test('every code of the closed list is met on an operation, or without one', () => {
  const met = new Set([
    ...cases.map(({ code }) => code),
    ...Object.values({ ...ofEvents, ...ofCredentials }).flat(),
    ...ofNoOperation,
  ]);

  expect([...met].sort()).toEqual([...publicCodes].sort());
});

/** The original route says a text where the others say the code. */
function saidCode(
  { dialect }: PublicEndpoint,
  code: PublicCode,
  { json, text }: ApiResponse,
): unknown {
  if (dialect !== 'original' || code === 'invalid_request') return json.error?.code ?? text;
  return (json as unknown as { detail: string }).detail === v1OriginalText(code) ? code : text;
}
