import {
  accountStatement,
  accountUsage,
  accountView,
  balanceAlert,
  projectView,
} from '@inventory/contracts/http/account';
import { priceView } from '@inventory/contracts/http/prices';
import { type Permission, permissions } from '@inventory/contracts/vocabulary';
import { asSent } from '@inventory/testkit/as-sent';
import { newCredentialId, newProjectId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiCall } from './support/api-call.ts';
import { statementRow, usageItem } from './support/fake-ledger-reads.ts';
import { gateway, world } from './support/file-gateway.ts';
import { patientLimits } from './support/patience.ts';

const mayRead: { permissions: Permission[] } = { permissions: ['customer.account.read.v1'] };
const mayManage: { permissions: Permission[] } = { permissions: ['customer.account.manage.v1'] };
const get = (path: string, key: string, headers: ApiCall['headers'] = {}) =>
  gateway.call({ path, key, headers });

describe('account', () => {
  test('any active Credential sees the balance, its own scopes and the rate limit (Tenancy) [rate-limit]', async () => {
    const { key, principal } = world.issue({ permissions: [], requestsPerMinute: 77 });
    world.ledger.setBalance(principal.accountId, 4_321);

    const response = await get('/v2/account', key);

    expect(response.status).toBe(200);
    expect(asSent(accountView, response.json.data)).toEqual({
      account_id: principal.accountId,
      balance: { total: 4_321, held: 0, available: 4_321 },
      funding: { mode: 'credits' },
      rate_limit: { limit_per_minute: 77 },
      service_account: { id: principal.serviceAccountId, rate_limit: { limit_per_minute: 77 } },
      traffic_limit: { limit_per_minute: 1_200 },
      events_enabled: false,
      credential: {
        credential_id: principal.credentialId,
        project_id: principal.projectId,
        scopes: [],
        expires_at: null,
      },
    });
    expect(response.json.meta).toEqual({
      request_id: response.headers['x-request-id'],
      environment: 'live',
    });
  });

  test('a subscription shows its units and their month, apart from the credits', async () => {
    const { key, principal } = world.issue({ expiresAtMs: Date.UTC(2030, 0) });
    const funding = {
      mode: 'subscription',
      units_per_month: 1_000,
      period: { starts_at: '2026-01-01T00:00:00.000Z', ends_at: '2026-02-01T00:00:00.000Z' },
      units: { total: 900, held: 125, available: 775 },
    } as const;
    world.ledger.terms.set(principal.accountId, { funding, spend_caps: [], balance_alert: null });

    const { data } = (await get('/v2/account', key)).json;

    expect(data.funding).toEqual(funding);
    expect(data.balance.available).toBe(world.ledger.balanceOf(principal.accountId));
    expect(data.credential.expires_at).toBe('2030-01-01T00:00:00.000Z');
  });

  test('spend caps and the alert are for customer.account.read.v1 alone (Reads: spend cap) [spend-cap-reached, spend-cap]', async () => {
    const { key, principal } = world.issue(mayRead);
    const { accountId, projectId } = principal;
    const resets_at = '2026-02-01T00:00:00.000Z';
    const limits = {
      spend_caps: [{ project_id: projectId, cap: 500, spent: 20, resets_at }],
      credential_spend_caps: [{ credential_id: newCredentialId(), cap: 5, spent: 2, resets_at }],
      balance_alert: { threshold: 50 },
    };
    world.ledger.terms.set(accountId, { funding: { mode: 'credits' }, ...limits });
    const other = world.issue({ accountId, permissions: ['*'] });

    expect((await get('/v2/account', key)).json.data).toMatchObject(limits);
    const { data } = (await get('/v2/account', other.key)).json;
    expect(Object.keys(data)).not.toContain('spend_caps');
    expect(Object.keys(data)).not.toContain('credential_spend_caps');
    expect(Object.keys(data)).not.toContain('balance_alert');
  });
});

test('a Project shows any Credential of it its name and environment, and what the Credential may do (Beyond the interface: what a key can see) [own-project]', async () => {
  const { key, principal } = world.issue({ permissions: ['customer.events.read.v1'] });
  const { accountId, projectId, credentialId } = principal;

  const { data } = (await get(`/v2/projects/${projectId}`, key)).json;

  const account = (await get('/v2/account', key)).json.data;
  expect(asSent(projectView, data)).toEqual({
    project_id: projectId,
    account_id: accountId,
    name: 'Bots',
    environment: 'live',
    rate_limit: { limit_per_minute: 100_000 },
    service_account: account.service_account,
    traffic_limit: account.traffic_limit,
    events_enabled: false,
    credential: {
      credential_id: credentialId,
      project_id: projectId,
      scopes: ['customer.events.read.v1'],
      expires_at: null,
    },
    credential_spend_cap: null,
  });
});

test('prices: the active list, for any active Credential (Reads: prices) [prices]', async () => {
  const response = await get('/v2/prices', world.issue({ permissions: [] }).key);

  expect(asSent(priceView, response.json.data)).toMatchObject({
    price_version: 1,
    refresh: { reservation: 125, block: 1, block_assets: 2000, diagnostic: 1 },
    watch: { reservation: 125, changed_block: 1, unchanged_block: 1, unchanged_block_assets: 8000 },
    live_page: { product_code: 'platform.inventory.page.v1', page: 1 },
    current_page: { product_code: 'platform.inventory.current.page.v1', page: 1 },
  });
});

describe.each([
  ['GET', '/v2/account/statement', 'customer.account.read.v1'],
  ['GET', '/v2/account/usage', 'customer.account.read.v1'],
  ['PUT', '/v2/account/balance-alert', 'customer.account.manage.v1'],
] as const)('%s %s', (method, path, permission) => {
  test('needs its permission, which neither the wildcard nor another one grants (Tenancy) [scopes]', async () => {
    const body = method === 'PUT' ? { body: { threshold: 1 } } : {};
    const others = permissions.filter((other) => other !== permission);
    const { key } = world.issue({ permissions: ['*', ...others] });
    const response = await gateway.call({ method, path, key, ...body });

    expect(response.status).toBe(403);
    expect(response.json.error).toMatchObject({
      code: 'permission_denied',
      detail: { permission },
    });
  });
});

describe('statement', () => {
  function booked(count: number) {
    const issued = world.issue(mayRead);
    const rows = Array.from({ length: count }, (_, index) => statementRow(index + 1));
    world.ledger.statements.set(issued.principal.accountId, rows);
    return { ...issued, rows };
  }

  test('gives every entry once, oldest first, over its pages [lists]', async () => {
    const { key, rows } = booked(12);
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const response = await get(`/v2/account/statement?limit=5${cursor}`, key);
      const { items, pagination } = asSent(accountStatement, response.json.data);
      seen.push(...items);
      expect(pagination.has_more).toBe(pagination.next_cursor !== null);
      cursor = pagination.next_cursor === null ? '' : `&cursor=${pagination.next_cursor}`;
    } while (cursor !== '');

    expect(seen).toEqual(rows);
  });

  test('as CSV it has the same columns and a Link header to the next part (Account self-service)', async () => {
    const { key, rows } = booked(3);
    const accept = { accept: 'text/csv' };
    const first = await get('/v2/account/statement?limit=2', key, accept);
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
    const second = await get(next, key, accept);

    expect(first.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(first.headers['content-disposition']).toContain('statement.csv');
    expect(first.headers.vary).toContain('Accept');
    const lines = first.text.split('\r\n');
    expect(lines[0]?.split(',')).toEqual(Object.keys(rows[0] ?? {}));
    expect(lines).toHaveLength(4);
    expect(second.text).toContain(rows[2]?.entry_id);
    expect(second.headers.link).toBeUndefined();
  });

  test('of a time it has the entries from then on and before then, over its pages, as CSV too; what is no time is refused (Free looks and findable lists) [list]', async () => {
    const { key, rows } = booked(9);
    const time = 'from=2026-01-01T01:00:00.003%2B01:00&to=2026-01-01T00:00:00.007Z';
    const path = `/v2/account/statement?${time}&limit=3`;

    const first = (await get(path, key)).json.data;
    const second = (await get(`${path}&cursor=${first.pagination.next_cursor}`, key)).json.data;
    const accept = { accept: 'text/csv' };
    const csv = await get(path, key, accept);
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(String(csv.headers.link)) ?? [];
    const rest = await get(next, key, accept);

    expect([...first.items, ...second.items]).toEqual(rows.slice(2, 6));
    expect(second.pagination.has_more).toBe(false);
    expect(rest.text.split('\r\n').filter((line) => line.startsWith('entry-'))).toHaveLength(1);
    expect(rest.headers.link).toBeUndefined();
    const wrong = await get('/v2/account/statement?from=2026-01-01&to=soon', key);
    const { issues } = wrong.json.error.detail;
    expect([wrong.status, issues.map(({ field }: { field: string }) => field)]).toEqual([
      422,
      ['from', 'to'],
    ]);
  });

  test('a reason that begins like a formula stays text in a spreadsheet', async () => {
    const { key, principal } = world.issue(mayRead);
    const reason = '=HYPERLINK("http://a.example","x")';
    world.ledger.statements.set(principal.accountId, [statementRow(1, { reason })]);

    const { text } = await get('/v2/account/statement', key, { accept: 'text/csv' });

    expect(text).toContain(`"'=HYPERLINK(""http://a.example"",""x"")"`);
  });

  test('is JSON when both would do, 406 when neither would, and refuses in JSON [json-only]', async () => {
    const { key } = booked(1);
    const typeOf = async (accept: string, path = '/v2/account/statement') => {
      const response = await get(path, key, { accept });
      return [response.status, response.headers['content-type']];
    };
    const json = 'application/json; charset=utf-8';

    expect(await typeOf('*/*')).toEqual([200, json]);
    expect(await typeOf('text/csv;q=0.5, application/json')).toEqual([200, json]);
    expect(await typeOf('text/html')).toEqual([406, json]);
    expect(await typeOf('text/csv', '/v2/account/statement?limit=0')).toEqual([422, json]);
    expect(await typeOf('text/csv', '/v2/account')).toEqual([406, json]);
  });

  test("another account's cursor is no cursor", async () => {
    const { key } = booked(5);
    const { next_cursor } = (await get('/v2/account/statement?limit=1', key)).json.data.pagination;
    const stranger = world.issue(mayRead);

    const response = await get(`/v2/account/statement?cursor=${next_cursor}`, stranger.key);

    expect([response.status, response.json.error.code]).toEqual([422, 'invalid_cursor']);
  });
});

describe('usage', () => {
  test('is the days asked for, of all Projects or of one', async () => {
    const { key, principal } = world.issue(mayRead);
    const { accountId, projectId } = principal;
    const other = world.issue({ accountId }).principal.projectId;
    world.ledger.usage.set(accountId, [
      usageItem('2026-01-01', projectId, 3),
      usageItem('2026-01-02', other, 4),
      usageItem('2026-01-03', projectId, 5),
    ]);
    const chargedOf = async (query: string) => {
      const { data } = (await get(`/v2/account/usage?${query}`, key)).json;
      return asSent(accountUsage, data).items.map(({ charged }) => charged);
    };

    expect(await chargedOf('from=2026-01-01&to=2026-01-02')).toEqual([3, 4]);
    expect(await chargedOf('from=2026-01-01&to=2026-01-31')).toEqual([3, 4, 5]);
    expect(await chargedOf(`from=2026-01-01&to=2026-01-31&project_id=${other}`)).toEqual([4]);
  });

  test('without days it is the present month so far', async () => {
    const { data } = (await get('/v2/account/usage', world.issue(mayRead).key)).json;

    expect(data.from).toMatch(/^\d{4}-\d{2}-01$/);
    expect(data.to.slice(0, 8)).toBe(data.from.slice(0, 8));
  });

  test('a Project of another account is like an unknown one (Errors) [projects-are-apart]', async () => {
    const { key } = world.issue(mayRead);
    const foreign = world.issue().principal.projectId;

    for (const projectId of [foreign, newProjectId()]) {
      const response = await get(`/v2/account/usage?project_id=${projectId}`, key);
      expect([response.status, response.json.error.code]).toEqual([404, 'project_not_found']);
    }
  });

  test.each([
    ['from=2026-01-01', 'to', 'is required'],
    ['to=2026-01-01', 'from', 'is required'],
    ['from=2026-01-02&to=2026-01-01', 'to', 'must not be before from'],
    ['from=2026-01-01&to=2026-02-01', 'to', 'must be within 31 days, both included'],
    ['from=2026-02-30&to=2026-03-01', 'from', 'must be a UTC day as YYYY-MM-DD'],
    ['from=today&to=2026-03-01', 'from', 'must be a UTC day as YYYY-MM-DD'],
  ])('%s is refused', async (query, field, reason) => {
    const response = await get(`/v2/account/usage?${query}`, world.issue(mayRead).key);

    expect(response.status).toBe(422);
    expect(response.json.error.detail.issues).toEqual([{ in: 'query', field, reason }]);
  });
});

test('usage of more than one response holds is refused, and says how to request less', async () => {
  const { key, principal } = world.issue(mayRead);
  world.ledger.usage.set(principal.accountId, 'too_large');

  const { status, json } = await get('/v2/account/usage', key);

  expect([status, json.error.code]).toEqual([422, 'invalid_request']);
  expect(json.error.detail.issues).toMatchObject([{ in: 'query', field: 'from' }]);
});

describe('balance alert', () => {
  const put = (key: string, threshold: unknown) =>
    gateway.call({ method: 'PUT', path: '/v2/account/balance-alert', key, body: { threshold } });

  test('is set and unset by one command each (Events: account.balance.low) [account-balance-low]', async () => {
    const { key, principal } = world.issue(mayManage);

    const set = await put(key, 50);
    const unset = await put(key, null);

    expect(balanceAlert.parse(set.json.data)).toEqual({ threshold: 50 });
    expect(unset.json.data).toEqual({ threshold: null });
    const own = world.ledger.configurations.filter(
      ({ accountId }) => accountId === principal.accountId,
    );
    expect(own.map(({ change }) => change)).toEqual([
      { sets: 'balance_alert', threshold: 50 },
      { sets: 'balance_alert', threshold: null },
    ]);
  });

  test.each([0, -1, 1.5, '50', 2 ** 50, undefined])('%s is no threshold', async (threshold) => {
    const response = await put(world.issue(mayManage).key, threshold);

    expect(response.status).toBe(422);
    expect(response.json.error.detail.issues[0].field).toBe('threshold');
  });

  test('a ledger that does not answer is 503, and the request may be repeated [service-unavailable]', async () => {
    const { key, principal } = world.issue(mayManage);
    world.ledger.decidesConfigure = false;
    const answering = put(key, 50);
    await waitFor('the ledger has it', () =>
      world.ledger.configurations.some(({ accountId }) => accountId === principal.accountId),
    );
    expect(gateway.cutReplies()).toEqual([patientLimits.decisionTimeoutMs]);

    const response = await answering;

    expect([response.status, response.json.error.code]).toEqual([503, 'service_unavailable']);
    expect(response.headers['retry-after']).toBe('1');
  });
});

test('an absent ledger is 503 on every read of it', async () => {
  const { key } = world.issue(mayRead);
  world.ledger.http.isDown = true;

  for (const path of ['', '/statement', '/usage'].map((part) => `/v2/account${part}`)) {
    expect((await get(path, key)).json.error.code).toBe('service_unavailable');
  }
  expect((await get('/v2/prices', key)).json.error.code).toBe('service_unavailable');
});
