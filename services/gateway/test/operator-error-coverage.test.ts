import type { Refusal } from '@inventory/contracts/refusal';
import { type OperatorCode, operatorCodes, rowOf } from '@inventory/contracts/refusal-codes';
import type { OperatorRole } from '@inventory/contracts/vocabulary';
import { ServiceUnreachable } from '@inventory/http/internal-client';
import { Refused } from '@inventory/http/refused';
import { testLogger } from '@inventory/testkit/namespace';
import { operatorCodesOf } from '../src/operator/describe-operator-api.ts';
import type { OperatorEndpoint } from '../src/operator/operator-route.ts';
import { operatorRoutes } from '../src/operator/operator-routes.ts';
import { createWatchStore } from '../src/watches/watch-store.ts';
import { world } from './support/file-operator-world.ts';
import { type Named, rightOperatorCall, secondPrices } from './support/operator-calls.ts';
import type { OperatorCall, OperatorResponse, OperatorWorld } from './support/operator-world.ts';
import { patientDeadlines } from './support/patience.ts';
import { watchOf } from './support/watch-of.ts';

/** Of every call that changes nothing. */
let unchanged: Named;
/** APIs whose every dependency fails, is unreachable, or is changed by another operator. */
let broken: OperatorWorld['call'];
let away: OperatorWorld['call'];
let contested: OperatorWorld['call'];
/** An API that has had its last wrong token of the minute. */
let impatient: OperatorWorld['call'];

beforeAll(async () => {
  unchanged = await newCustomer();
  broken = await world.callWith(failing(new TypeError('broken')));
  away = await world.callWith(failing(new ServiceUnreachable('the ledger did not answer')));
  const rotateCredential = () => Promise.reject(new Refused({ code: 'concurrent_change' }));
  impatient = await world.callWith({ clock: { now: () => 0 } }, { attemptsPerMinute: 1 });
  await impatient({ path: '/accounts', authorization: null });
  contested = await world.callWith({ tenancy: { ...world.tenancy, rotateCredential } });
});
afterEach(() => {
  world?.webhooks.reset();
  if (world) Object.assign(world.books, { responses: true, refusesWith: null });
});

function failing(error: Error) {
  const client = new Proxy({}, { get: () => () => Promise.reject(error) }) as never;
  return {
    tenancy: client,
    watches: client,
    ledger: client,
    collectorOf: () => client,
    inventories: client,
    webhooks: client,
    auditStore: client,
  };
}

interface Case {
  readonly endpoint: OperatorEndpoint;
  readonly right: OperatorCall;
  readonly credential: string;
  send(changes?: Partial<OperatorCall>, call?: OperatorWorld['call']): Promise<OperatorResponse>;
}

/** A customer of its own. */
async function newCustomer(): Promise<Named> {
  const { accountId: account } = await world.tenancy.createAccount({ name: 'Trader' });
  const { projectId: project } = await world.tenancy.createProject({
    accountId: account,
    name: null,
  });
  const { credential } = await world.tenancy.issueCredential({
    ...{ projectId: project, name: null, scopes: ['*'] },
    ...{ expiresAtMs: null, networkPolicy: null },
  });
  const { serviceAccountId: serviceAccount } = await world.tenancy.createServiceAccount({
    accountId: account,
    name: 'Bots',
  });
  await createWatchStore(world.db, patientDeadlines, testLogger).insertWatch(
    { ...watchOf(0, project, Date.UTC(2099, 0)), accountId: account },
    1,
  );
  return { account, project, serviceAccount, credential: credential.credentialId };
}

function caseOf(endpoint: OperatorEndpoint, named: Named): Case {
  const right = rightOperatorCall(endpoint.operationId, named);
  return {
    endpoint,
    right,
    credential: named.credential,
    send: (changes = {}, call = world.call) => call({ ...right, ...changes }),
  };
}

const anId = /((?:acc|prj|sa|cred)_)[0-9a-f-]{36}/;
const unknownId = '00000000-0000-7000-8000-000000000000';
const toUnknown = ({ right, send }: Case) =>
  send({ path: right.path.replace(anId, `$1${unknownId}`) });

/** Every other operation names something in its path. */
function invalid({ endpoint, right, send }: Case): Promise<OperatorResponse> {
  if (anId.test(right.path)) return send({ path: right.path.replace(anId, 'x') });
  if (right.body !== undefined || right.method === 'POST') return send({ body: { unknown: 1 } });
  return send({ path: endpoint.input.query ? `${right.path}?limit=0` : '/inventories/x/730/2' });
}

async function conflicting({ endpoint, right, send }: Case): Promise<OperatorResponse> {
  const headers = { 'idempotency-key': 'k', ...right.headers };
  await send({ headers });
  const changes: Readonly<Record<string, object>> = {
    issueCredential: { scopes: ['*'], name: 'Other' },
    rotateCredential: { overlap_seconds: 60 },
    setFunding: { mode: 'subscription', units_per_month: 5 },
    setSpendCap: { cap: 6 },
    setCredentialSpendCap: { cap: 6 },
  };
  const body = changes[endpoint.operationId] ?? { ...(right.body as object), amount: 6 };
  return await send({ headers, body });
}

function unanswered({ send }: Case): Promise<OperatorResponse> {
  world.books.responses = false;
  return send({ isUndecided: true });
}

const booksRefusing = (refusesWith: OperatorWorld['books']['refusesWith']) => (given: Case) => {
  world.books.refusesWith = refusesWith;
  return given.send();
};

function webhooksRefusing(refusal: Refusal) {
  return ({ send }: Case) => {
    world.webhooks.refusal = refusal;
    return send();
  };
}

const short = (asset: 'credits' | 'units') => (given: Case) =>
  given.send({ body: { asset, amount: -5, reason: 'x' } });

const otherThan = (role: OperatorRole) => (role === 'billing' ? 'support' : 'billing');

/** How each code is met, by every operation that can answer it. */
const ways: Partial<Record<OperatorCode, (given: Case) => Promise<OperatorResponse>>> = {
  operator_token_required: ({ send }) => send({ authorization: null }),
  operator_role_required: ({ endpoint, send }) =>
    send({ authorization: `Bearer token-of-role-${otherThan(endpoint.role)}` }),
  operator_throttled: ({ send }) => send({ authorization: null }, impatient),
  internal_error: ({ send }) => send({}, broken),
  service_unavailable: ({ send }) => send({}, away),
  invalid_request: invalid,
  malformed_json: ({ send }) => send({ body: '{' }),
  payload_too_large: ({ send }) => send({ body: ' '.repeat(16 * 1024 + 1) }),
  unsupported_media_type: ({ right, send }) =>
    send({ body: '{}', headers: { ...right.headers, 'content-type': 'text/plain' } }),
  not_acceptable: ({ send }) => send({ headers: { accept: 'image/png' } }),
  invalid_cursor: ({ right, send }) => send({ path: `${right.path}?cursor=${'A'.repeat(2_000)}` }),
  account_not_found: toUnknown,
  project_not_found: toUnknown,
  service_account_not_found: (given) =>
    given.endpoint.operationId === 'issueCredential'
      ? given.send({ body: { scopes: ['*'], service_account_id: `sa_${unknownId}` } })
      : toUnknown(given),
  credential_not_found: (given) =>
    given.endpoint.operationId === 'findCredential'
      ? given.send({ body: { public_id: '0'.repeat(22), secret_sha256: '0'.repeat(64) } })
      : toUnknown(given),
  async credential_revoked({ credential, send }) {
    await world.call({ method: 'POST', path: `/credentials/${credential}/revoke` });
    return send();
  },
  concurrent_change: (given) =>
    given.endpoint.operationId === 'rotateCredential'
      ? given.send({}, contested)
      : webhooksRefusing({ code: 'concurrent_change' })(given),
  idempotency_conflict: (given) =>
    given.endpoint.operationId === 'rotateWebhookSecret'
      ? webhooksRefusing({ code: 'idempotency_conflict' })(given)
      : conflicting(given),
  secret_rotation_in_progress: webhooksRefusing({
    code: 'secret_rotation_in_progress',
    detail: { ends_at: '2030-01-01T00:00:00.000Z' },
  }),
  insufficient_credits: short('credits'),
  insufficient_units: short('units'),
  balance_limit_exceeded: booksRefusing({ code: 'balance_limit_exceeded' }),
  billing_unavailable: unanswered,
  price_version_conflict: ({ send }) => send({ path: '/price-lists/900' }),
  async effective_date_too_early({ send }) {
    const { length } = (await world.call({ path: '/price-lists' })).json.items;
    const body = { ...secondPrices, effective_at: '2026-01-01T00:00:00.000Z' };
    return send({ path: `/price-lists/${length + 1}`, body });
  },
  watch_not_found: toUnknown,
  webhook_endpoint_not_found: webhooksRefusing({ code: 'webhook_endpoint_not_found' }),
  event_not_found: webhooksRefusing({ code: 'event_not_found' }),
};

/** Met after a change, or by what the customer has. */
const ofChanges: readonly OperatorCode[] = [
  ...(['credential_revoked', 'idempotency_conflict'] as const),
  ...(['insufficient_credits', 'insufficient_units'] as const),
];

const cases = operatorRoutes.flatMap((endpoint) =>
  operatorCodesOf(endpoint).map((code) => ({ name: endpoint.operationId, code, endpoint })),
);

test.each(operatorRoutes.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  '%s answers as documented',
  async (_name, endpoint) => {
    const { send } = caseOf(endpoint, await newCustomer());

    expect((await send()).status).toBe(endpoint.status);
  },
);

test.each(cases)('$name answers $code as documented [error-codes]', async ({ code, endpoint }) => {
  const way = ways[code];
  if (way === undefined) throw new Error(`how ${code} is met is not known`);

  const named = ofChanges.includes(code) ? await newCustomer() : unchanged;
  const response = await way(caseOf(endpoint, named));

  const { status, message, operatorMessage = message } = rowOf(code);
  expect([response.status, response.json.error.code]).toEqual([status, code]);
  expect(response.json.error.message).toBe(operatorMessage);
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
});

test('every code of the table is met by an operation, or by the frame in front of them', () => {
  const met = new Set([...cases.map(({ code }) => code), 'route_not_found', 'method_not_allowed']);

  expect([...met].sort()).toEqual([...operatorCodes].sort());
});
