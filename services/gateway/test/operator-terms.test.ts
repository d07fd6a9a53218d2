import { randomUUID } from 'node:crypto';
import { world } from './support/file-operator-world.ts';

let accountId: string;
let projectId: string;

beforeAll(async () => {});
beforeEach(async () => {
  const account = await world.tenancy.createAccount({ name: 'Trader' });
  const project = await world.tenancy.createProject({ accountId: account.accountId, name: null });
  [accountId, projectId] = [account.accountId, project.projectId];
});

const put = (path: string, body: unknown, key: string = randomUUID(), isUndecided = false) =>
  world.call({ method: 'PUT', path, body, headers: { 'idempotency-key': key }, isUndecided });
const subscription = { mode: 'subscription', units_per_month: 50_000 };

test('an account is switched to a subscription, and the answer is how it pays then (Subscription funding) [units-or-credits, subscription-meta]', async () => {
  const response = await put(`/accounts/${accountId}/funding`, subscription);

  expect(response.status).toBe(200);
  expect(response.json).toMatchObject({
    account_id: accountId,
    funding: { ...subscription, units: { available: 50_000 } },
    spend_caps: [],
    balance_alert: null,
  });
  expect((await world.call({ path: `/accounts/${accountId}/terms` })).text).toBe(response.text);
});

test('a key that comes again changes nothing, also after another change; other inputs conflict', async () => {
  const path = `/accounts/${accountId}/funding`;
  await put(path, subscription, 'plan');
  await put(path, { mode: 'credits' }, 'end');

  const again = await put(path, subscription, 'plan');
  const other = await put(path, { ...subscription, units_per_month: 1 }, 'plan');

  expect([again.status, again.json.funding]).toEqual([200, { mode: 'credits' }]);
  expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_conflict']);
});

test('a spend cap is set on a Project of its account, shown, and taken away (spend cap) [spend-cap-reached, spend-cap]', async () => {
  const path = `/projects/${projectId}/spend-cap`;

  const set = await put(path, { cap: 20_000, reason: 'budget' });
  const cleared = await put(path, { cap: null });

  expect(set.json).toMatchObject({
    account_id: accountId,
    spend_caps: [{ project_id: projectId, cap: 20_000, spent: 0 }],
  });
  expect(cleared.json.spend_caps).toEqual([]);
});

test('units are granted and corrected as units, credits as credits', async () => {
  const path = `/accounts/${accountId}`;
  const post = (part: string, body: unknown) =>
    world.call({
      method: 'POST',
      path: `${path}/${part}`,
      body,
      headers: { 'idempotency-key': randomUUID() },
    });

  const granted = await post('unit-grants', { amount: 40 });
  const corrected = await post('adjustments', { amount: -4, reason: 'x', asset: 'units' });
  const short = await post('adjustments', { amount: -90, reason: 'x', asset: 'units' });

  expect(granted.json).toMatchObject({ kind: 'grant', asset: 'units', reason: 'unit grant' });
  expect(corrected.json).toMatchObject({ kind: 'adjust', asset: 'units', amount: -4 });
  expect([short.status, short.json.error.code]).toEqual([402, 'insufficient_units']);
  expect(short.json.error.detail).toEqual({ required: 90, available: 36 });
});

test('without an answer of the ledger the outcome is unknown, and the same key finds it out', async () => {
  world.books.responses = false;
  const unknown = await put(`/accounts/${accountId}/funding`, subscription, 'plan', true);
  world.books.responses = true;
  const known = await put(`/accounts/${accountId}/funding`, subscription, 'plan');

  expect([unknown.status, unknown.json.error.code]).toEqual([503, 'billing_unavailable']);
  expect(known.json.funding.units_per_month).toBe(50_000);
});

const unknownId = '00000000-0000-7000-8000-000000000000';
test.each([
  ['GET', `/accounts/acc_${unknownId}/terms`, undefined, 404, 'account_not_found'],
  ['PUT', `/accounts/acc_${unknownId}/funding`, { mode: 'credits' }, 404, 'account_not_found'],
  ['PUT', `/projects/prj_${unknownId}/spend-cap`, { cap: 1 }, 404, 'project_not_found'],
] as const)('%s %s is refused', async (method, path, body, status, code) => {
  const headers = { 'idempotency-key': randomUUID() };

  const response = await world.call({ method, path, headers, ...(body ? { body } : {}) });

  expect([response.status, response.json.error.code]).toEqual([status, code]);
});

test.each([
  [{ mode: 'free' }, 'mode'],
  [{ mode: 'subscription' }, 'units_per_month'],
  [{ mode: 'subscription', units_per_month: 0 }, 'units_per_month'],
  [{ mode: 'subscription', units_per_month: 1e13 }, 'units_per_month'],
  [{ mode: 'credits', units_per_month: 5 }, 'units_per_month'],
])('a funding of %j names the field that is wrong', async (body, field) => {
  const response = await put(`/accounts/${accountId}/funding`, body);

  expect([response.status, response.json.error.code]).toEqual([422, 'invalid_request']);
  expect(response.json.error.detail.issues).toMatchObject([{ in: 'body', field }]);
});

test.each([[{}], [{ cap: -1 }], [{ cap: '5' }], [{ cap: 1.5 }], [{ cap: 5, until: 'May' }]])(
  'a spend cap of %j is refused',
  async (body) => {
    const response = await put(`/projects/${projectId}/spend-cap`, body);

    expect([response.status, response.json.error.code]).toEqual([422, 'invalid_request']);
  },
);

test('without a key nothing is changed', async () => {
  const path = `/accounts/${accountId}/funding`;
  const response = await world.call({ method: 'PUT', path, body: subscription });

  expect(response.json.error.detail.issues).toMatchObject([
    { in: 'header', field: 'idempotency-key' },
  ]);
});
