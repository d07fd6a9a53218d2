import { randomUUID } from 'node:crypto';
import type { RefusalCode } from '@inventory/contracts/refusal';
import { operatorCodes, rowOf } from '@inventory/contracts/refusal-codes';
import { world } from './support/file-operator-world.ts';
import { secondPrices } from './support/operator-calls.ts';
import type { OperatorResponse } from './support/operator-world.ts';

let account: string;
let project: string;
let credential: string;

beforeAll(async () => {
  const made = await world.tenancy.createAccount({ name: 'Trader' });
  const of = await world.tenancy.createProject({ accountId: made.accountId, name: null });
  const { credential: issued } = await world.tenancy.issueCredential({
    ...{
      projectId: of.projectId,
      name: null,
      scopes: ['*'],
      expiresAtMs: null,
      networkPolicy: null,
    },
  });
  [account, project, credential] = [
    `/accounts/${made.accountId}`,
    `/projects/${of.projectId}`,
    `/credentials/${issued.credentialId}`,
  ];
});

const unknownId = '00000000-0000-7000-8000-000000000000';
const scopes = ['*'];

/** The stated form of every refusal, and the code. */
function expectRefusal(response: OperatorResponse, code: RefusalCode) {
  const { status, message } = rowOf(code);
  const { error, ...rest } = response.json;
  expect({ status: response.status, code: error.code, message: error.message }).toEqual({
    status,
    code,
    message,
  });
  expect(rest).toEqual({});
  expect(Object.keys(error).sort().join()).toMatch(/^code,(detail,)?message$/);
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return error.detail;
}

describe('401', () => {
  const paths = ['/accounts', '/admission', '/nothing', '/ledger/verify'];

  test.each([
    ['no token', null],
    ['another token', 'Bearer 0000000000000000000000000000000000000000'],
    ['an empty token', 'Bearer '],
    ['another scheme', 'Basic b3BlcmF0b3I6eA=='],
  ])(
    'with %s nothing is disclosed, not even which routes exist [lists]',
    async (_what, authorization) => {
      for (const path of paths) {
        const response = await world.call({ path, authorization });
        expectRefusal(response, 'operator_token_required');
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
      }
    },
  );

  test('the right token elsewhere, or with more around it, is no token [lists]', async () => {
    const { token } = world;
    for (const call of [
      { path: `/accounts?token=${token}`, authorization: null },
      { path: '/accounts', authorization: null, headers: { 'x-api-key': token } },
      { path: '/accounts', authorization: token },
      { path: '/accounts', authorization: `Bearer ${token} ${token}` },
      { path: '/accounts', authorization: `Bearer ${token.slice(0, -1)}` },
      { path: '/accounts', authorization: `Bearer ${token}x` },
    ]) {
      expectRefusal(await world.call(call), 'operator_token_required');
    }
  });

  test('a token that was tried is not logged', () => {
    expect(world.log.join('')).not.toContain(world.token);
  });
});

test.each([
  ['GET', '/nothing'],
  ['POST', '/accounts/'],
])('%s %s is no route', async (method, path) => {
  expectRefusal(await world.call({ method, path }), 'route_not_found');
});

test('405 names what the route offers', async () => {
  const response = await world.call({ method: 'DELETE', path: account });
  expectRefusal(response, 'method_not_allowed');
  expect(response.headers.get('allow')).toContain('GET');
});

/** What is sent where, and the only field that is at fault. */
const invalidBodies: [method: string, path: () => string, body: unknown, field: string][] = [
  ['POST', () => '/accounts', undefined, 'name'],
  ['POST', () => '/accounts', {}, 'name'],
  ['POST', () => '/accounts', [], ''],
  ['POST', () => '/accounts', 'null', ''],
  ['POST', () => '/accounts', '"x"', ''],
  ['POST', () => '/accounts', '7', ''],
  ['POST', () => '/accounts', { name: '' }, 'name'],
  ['POST', () => '/accounts', { name: ' ' }, 'name'],
  ['POST', () => '/accounts', { name: 7 }, 'name'],
  ['POST', () => '/accounts', { name: null }, 'name'],
  ['POST', () => '/accounts', { name: 'x'.repeat(201) }, 'name'],
  ['POST', () => '/accounts', { name: 'two\nlines' }, 'name'],
  ['POST', () => '/accounts', { name: 'x', state: 'suspended' }, 'state'],
  ['POST', () => '/accounts', '{"name":"x","__proto__":{"x":1}}', '__proto__'],
  ['PATCH', () => account, {}, ''],
  ['PATCH', () => account, undefined, ''],
  ['PATCH', () => account, { state: 'revoked' }, 'state'],
  ['PATCH', () => account, { state: 'suspended', reason: 'x' }, 'reason'],
  ['POST', () => `${account}/projects`, { name: '' }, 'name'],
  ['POST', () => `${account}/projects`, { title: 'x' }, 'title'],
  ['PATCH', () => account, { rate_limit_per_minute: 0 }, 'rate_limit_per_minute'],
  ['PATCH', () => account, { rate_limit_per_minute: 1.5 }, 'rate_limit_per_minute'],
  ['PATCH', () => account, { rate_limit_per_minute: '120' }, 'rate_limit_per_minute'],
  ['PATCH', () => account, { rate_limit_per_minute: 1_000_001 }, 'rate_limit_per_minute'],
  ['PATCH', () => account, { rate_limit_per_minute: null }, 'rate_limit_per_minute'],
  ['PATCH', () => account, { traffic_limit_per_minute: 0 }, 'traffic_limit_per_minute'],
  ['PATCH', () => account, { events_enabled: 'yes' }, 'events_enabled'],
  ['PATCH', () => account, { capture_enabled: null }, 'capture_enabled'],
  ['PATCH', () => account, { network_policy: [] }, 'network_policy'],
  ['PATCH', () => account, { network_policy: '::/0' }, 'network_policy'],
  ['PATCH', () => account, { network_policy: ['::/0', '10.0.0.1/8'] }, 'network_policy.1'],
  ['PATCH', () => project, { network_policy: ['all'] }, 'network_policy.0'],
  ['PATCH', () => project, { network_policy: [7] }, 'network_policy.0'],
  ['PATCH', () => credential, { network_policy: Array(101).fill('::/0') }, 'network_policy'],
  ['POST', () => `${project}/credentials`, {}, 'scopes'],
  ['POST', () => `${project}/credentials`, { scopes: [] }, 'scopes'],
  ['POST', () => `${project}/credentials`, { scopes: '*' }, 'scopes'],
  ['POST', () => `${project}/credentials`, { scopes: ['*', 'root'] }, 'scopes.1'],
  ['POST', () => `${project}/credentials`, { scopes, expires_at: 'soon' }, 'expires_at'],
  ['POST', () => `${project}/credentials`, { scopes, expires_at: 4_102_444_800 }, 'expires_at'],
  ['POST', () => `${project}/credentials`, { scopes, expires_at: '2099-01-01' }, 'expires_at'],
  [
    'POST',
    () => `${project}/credentials`,
    { scopes, expires_at: '2020-01-01T00:00:00Z' },
    'expires_at',
  ],
  ['POST', () => `${project}/credentials`, { scopes, secret: 'mine' }, 'secret'],
  ['PATCH', () => credential, { scopes: [null] }, 'scopes.0'],
  ['PATCH', () => credential, {}, ''],
  ['PATCH', () => credential, { state: 'revoked' }, 'state'],
  ['PATCH', () => credential, { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ['POST', () => `${credential}/rotate`, { overlap_seconds: -1 }, 'overlap_seconds'],
  ['POST', () => `${credential}/rotate`, { overlap_seconds: 604_801 }, 'overlap_seconds'],
  ['POST', () => `${credential}/rotate`, { overlap: 5 }, 'overlap'],
  ['POST', () => `${credential}/revoke`, { now: true }, 'now'],
  ['PUT', () => '/admission', { operator_closed: 1 }, 'operator_closed'],
  ['PUT', () => '/admission', {}, 'operator_closed'],
  ['POST', () => '/ledger/verify', { fix: true }, 'fix'],
];

describe('422', () => {
  test.each(invalidBodies)(
    '%s with a wrong body names the field (%#)',
    async (method, path, body, field) => {
      const call = { method, path: path(), ...(body === undefined ? {} : { body }) };
      const detail = expectRefusal(await world.call(call), 'invalid_request');
      expect(detail.issues).toEqual([{ in: 'body', field, reason: expect.any(String) }]);
    },
  );

  test.each([
    ['/accounts/unknown', 'account_id'],
    [`/accounts/prj_${unknownId}`, 'account_id'],
    [`/accounts/acc_${unknownId.toUpperCase()}A`, 'account_id'],
    ['/accounts/%00', 'account_id'],
    ['/accounts/%zz', 'account_id'],
    ['/projects/1', 'project_id'],
    [`/credentials/${'x'.repeat(5_000)}`, 'credential_id'],
  ])('the path %s is wrong (%#)', async (path, field) => {
    const detail = expectRefusal(await world.call({ path }), 'invalid_request');
    expect(detail.issues).toEqual([{ in: 'path', field, reason: expect.any(String) }]);
  });

  test('a parameter given twice is refused, one that is not known is ignored [path-values]', async () => {
    const twice = await world.call({ path: '/accounts?limit=1&limit=2' });
    expectRefusal(twice, 'invalid_request');
    expect((await world.call({ path: '/accounts?limit=1&colour=red' })).status).toBe(200);
  });

  test('all problems of a request are reported at once [all-problems-at-once]', async () => {
    const response = await world.call({
      method: 'POST',
      path: '/accounts/unknown/top-ups',
      body: { amount: 0, reason: '', colour: 'red' },
    });

    const { issues } = expectRefusal(response, 'invalid_request');
    expect(
      issues.map((issue: { in: string; field: string }) => `${issue.in} ${issue.field}`),
    ).toEqual([
      'path account_id',
      'header idempotency-key',
      'body amount',
      'body reason',
      'body colour',
    ]);
  });

  test.each([
    ['/accounts', 'nonsense'],
    ['/accounts', ''],
    ['/accounts', Buffer.from('accounts:acc_1').toString('base64url')],
    ['/accounts', `${Buffer.from(`accounts:acc_${unknownId}`).toString('base64url')}=`],
    ['/accounts', Buffer.from(`projects:prj_${unknownId}`).toString('base64url')],
    ['/accounts', 'x'.repeat(299)],
  ])('%s with a cursor it did not give is refused (%#)', async (path, cursor) => {
    expectRefusal(await world.call({ path: `${path}?cursor=${cursor}` }), 'invalid_cursor');
  });
});

test('a time may have any offset in every request (Transport: RFC 3339)', async () => {
  const hook = `${project}/webhook-endpoints/whe_${unknownId}`;
  const range = 'from=2026-01-15T10:00:00+00:00&to=2026-01-16t10:00:00z';
  const { length } = (await world.call({ path: '/price-lists' })).json.items;
  const calls = [
    { path: `/audit?${range}` },
    { path: `${hook}/deliveries?${range}` },
    { method: 'POST', path: `${hook}/redeliver`, body: { since: '2026-01-15T10:00:00-05:00' } },
    { method: 'PATCH', path: credential, body: { expires_at: '2099-01-01T00:00:00.000+14:00' } },
    {
      method: 'PUT',
      path: `/price-lists/${length + 1}`,
      body: { ...secondPrices, effective_at: '2100-01-01T00:00:00-00:00' },
    },
  ];

  for (const call of calls) {
    const { status } = await world.call(call);
    expect([call.path, Math.floor(status / 100)]).toEqual([call.path, 2]);
  }
});

describe('503', () => {
  afterEach(() => {
    for (const fake of [world.books.http, world.collector, world.revisions]) fake.isDown = false;
  });

  test('an unavailable service is named, and operations without it work', async () => {
    for (const fake of [world.books.http, world.collector, world.revisions]) fake.isDown = true;
    const calls = [
      ['billing-ledger', { path: `${account}/balance` }],
      ['billing-ledger', { method: 'POST', path: '/ledger/verify' }],
      ['refresh-collector', { path: '/admission' }],
      ['revision-store', { method: 'DELETE', path: '/inventories/76561198000000000/730/2' }],
    ] as const;

    for (const [service, call] of calls) {
      const detail = expectRefusal(await world.call(call), 'service_unavailable');
      expect(detail.reason).toContain(service);
    }
    expect((await world.call({ path: account })).status).toBe(200);
  });
});

test('whatever is sent, the answer is a stated code and no fault of ours', async () => {
  const known: readonly string[] = operatorCodes;
  const words = ['', 'x', '%2e%2e', '..', 'acc_', `acc_${unknownId}`, '%F0%9F%92%A9', "'", '$ne'];
  for (const first of [
    'accounts',
    'projects',
    'credentials',
    'inventories',
    'ledger',
    'admission',
  ]) {
    for (const second of words) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const path = `/${first}/${second}/${randomUUID()}`;
        const body = method === 'GET' ? undefined : { [second]: { $gt: '' } };
        const response = await world.call({ method, path, ...(body ? { body } : {}) });
        expect(known).toContain(response.json.error.code);
        expect(response.status).toBeLessThan(500);
      }
    }
  }
});
