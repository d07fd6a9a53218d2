import { errorBody } from '@inventory/contracts/http/error-body';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { newRefreshId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  type ApiResponse,
  closeCalls as closeApiCalls,
} from '../../services/gateway/test/support/api-call.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Credential, Customer } from './support/operator.ts';
import { createPublicApi } from './support/public-api.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { sizeScope } from './support/simulator-control.ts';

const stack = openSharedStack();
const scope: InventoryKey = sizeScope(50, 40_001);
let owner: Customer;
let refreshId: string;
/** Every secret that was used here; none of them may be found in a log. */
const secrets: string[] = [];

beforeAll(async () => {
  owner = await newCustomer();
  refreshId = await owner.api.accepted(scope, { key: 'a key of this customer' });
  await untilCompleted(owner.api, owner.projectId, [refreshId]);
});
afterAll(async () => {
  closeApiCalls();
  await stack.close();
});

async function newCustomer(): Promise<Customer> {
  const customer = await stack.operator.newCustomer();
  secrets.push(customer.secret);
  return customer;
}

async function newCredential(projectId: string, options = {}): Promise<Credential> {
  const credential = await stack.operator.newCredential(projectId, options);
  secrets.push(credential.secret);
  return credential;
}

function refusalOf({ status, json }: ApiResponse): readonly [number, string] {
  return [status, errorBody.parse(json).error.code];
}

/** The answer without what differs between any two requests. */
function withoutRequestId({ status, text }: ApiResponse) {
  return { status, text: text.replaceAll(/req_[0-9a-f-]{36}/g, 'req') };
}

describe('what belongs to one Project (Tenancy)', () => {
  test('its refreshes are unknown to another account, to another Project of its own, and under an unused id', async () => {
    const stranger = await newCustomer();
    const sibling = await newCredential(await stack.operator.newProject(owner.accountId));
    const unknown = await owner.api.status(newRefreshId());

    for (const { api } of [stranger, sibling]) {
      const seen = await api.status(refreshId);
      const cancelled = await api.cancel(refreshId);
      expect(refusalOf(seen)).toEqual([404, 'refresh_not_found']);
      expect(withoutRequestId(seen)).toEqual(withoutRequestId(unknown));
      expect(refusalOf(cancelled)).toEqual([404, 'refresh_not_found']);
    }
    expect(refusalOf(await owner.api.cancel(refreshId))).toEqual([
      409,
      'refresh_already_completed',
    ]);
  });

  test('its list is nothing to them either, whatever it is filtered by', async () => {
    const stranger = await newCustomer();
    const sibling = await newCredential(await stack.operator.newProject(owner.accountId));

    for (const { api } of [stranger, sibling]) {
      for (const query of ['', `?refresh_id=${refreshId}`]) {
        const listed = await api.list(owner.projectId, query);
        expect(refusalOf(listed)).toEqual([404, 'project_not_found']);
      }
    }
    const own = await stranger.api.list(stranger.projectId, `?refresh_id=${refreshId}`);
    expect(own.json.data.items).toEqual([]);
  });

  test('a cursor of one account is no cursor for another, nor for another inventory or language', async () => {
    const stranger = await newCustomer();
    const other = sizeScope(60, 40_002);
    const id = await owner.api.accepted(other);
    await untilCompleted(owner.api, owner.projectId, [id]);
    const first = await owner.api.current(scope, '?page_size=10');
    const cursor = encodeURIComponent(first.json.data.pagination.next_cursor);

    for (const response of [
      await stranger.api.current(scope, `?cursor=${cursor}`),
      await owner.api.current(other, `?cursor=${cursor}`),
      await owner.api.current(scope, `?language=german&cursor=${cursor}`),
      await owner.api.current(
        scope,
        `?cursor=${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`,
      ),
    ]) {
      expect(refusalOf(response)).toEqual([422, 'invalid_cursor']);
      expect(response.json.meta.credits_charged).toBe(0);
    }
    expect((await owner.api.current(scope, `?cursor=${cursor}`)).status).toBe(200);
  });

  test('a saved revision belongs to the inventory: any account may read and pays for itself [shared-inventories]', async () => {
    const stranger = await newCustomer();
    const before = await stack.operator.balance(owner.accountId);

    const response = await stranger.api.current(scope);

    expect(response.status).toBe(200);
    expect(await stack.operator.balance(owner.accountId)).toEqual(before);
    expect(await stack.operator.balance(stranger.accountId)).toMatchObject({ total: 999_999 });
  });
});

describe('a key that is not valid (Authentication)', () => {
  async function untilRefused({ api }: Credential): Promise<ApiResponse> {
    return waitFor('the key is refused', async () => {
      const response = await api.status(refreshId);
      return response.status === 401 && response;
    });
  }

  test('has one answer, whether it is unknown, malformed, revoked, expired or of a suspended owner [credential-state]', async () => {
    const { operator, gatewayUrl } = stack;
    const revoked = await newCredential(owner.projectId);
    const [ofProject, ofAccount] = [await newCustomer(), await newCustomer()];
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const expiring = await newCredential(owner.projectId, { expires_at });
    for (const { api } of [expiring, revoked, ofProject, ofAccount]) {
      expect([200, 404]).toContain((await api.status(refreshId)).status);
    }
    await expire(expiring);
    await operator.revoke(revoked.credentialId);
    await operator.call('changeProject', { project_id: ofProject.projectId, state: 'suspended' });
    await operator.call('changeAccount', { account_id: ofAccount.accountId, state: 'suspended' });

    const changed = owner.secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const responses = [
      await createPublicApi(gatewayUrl, changed).status(refreshId),
      await createPublicApi(gatewayUrl, 'no key at all').status(refreshId),
      ...(await Promise.all([revoked, expiring, ofProject, ofAccount].map(untilRefused))),
    ];

    for (const response of responses) {
      expect(refusalOf(response)).toEqual([401, 'invalid_api_key']);
      expect(withoutRequestId(response)).toEqual(withoutRequestId(responses[0] as ApiResponse));
      expect(response.headers['ratelimit']).toBeUndefined();
    }
    await operator.call('changeAccount', { account_id: ofAccount.accountId, state: 'active' });
    await waitFor(
      'a suspension that is taken back is seen',
      async () => (await ofAccount.api.status(refreshId)).status === 404,
    );
  });

  /** As if its hour were over. */
  async function expire({ credentialId }: Credential): Promise<void> {
    const credentials = (await stack.recordsOf('gateway')).collection<{ _id: string }>(
      'credentials',
    );
    const { modifiedCount } = await credentials.updateOne(
      { _id: credentialId },
      { $set: { expiresAtMs: 0 } },
    );
    expect(modifiedCount).toBe(1);
  }

  test('is no key in the address, and its absence has an answer of its own', async () => {
    const anonymous = createPublicApi(stack.gatewayUrl, null);
    const path = `/v2/platform/inventory-refreshes/${refreshId}`;

    expect(refusalOf(await anonymous.call({ path }))).toEqual([401, 'missing_api_key']);
    const inAddress = await anonymous.call({ path: `${path}?api_key=${owner.secret}` });
    expect(refusalOf(inAddress)).toEqual([401, 'missing_api_key']);
  });
});

describe('a key that may not do everything (Scopes, Network policy)', () => {
  test('is refused by the name of the missing permission, and nothing is reserved', async () => {
    const permission = 'platform.inventory.current.page.v1';
    const reader = await newCredential(owner.projectId, { scopes: [permission] });
    const before = await stack.operator.balance(owner.accountId);

    const refused = await reader.api.refresh(scope);

    expect(refusalOf(refused)).toEqual([403, 'permission_denied']);
    expect(refused.json.error.detail).toEqual({ permission: 'platform.inventory.refresh.v1' });
    expect((await reader.api.status(refreshId)).status).toBe(200);
    expect(await stack.operator.balance(owner.accountId)).toEqual(before);
  });

  test('is refused from a network that is not allowed, and counts against no limit', async () => {
    const elsewhere = await newCredential(owner.projectId, { network_policy: ['10.1.0.0/16'] });
    const here = await newCredential(owner.projectId, { network_policy: ['127.0.0.0/8', '::1'] });

    const refused = await elsewhere.api.status(refreshId);
    const claimed = await elsewhere.api.call({
      path: `/v2/platform/inventory-refreshes/${refreshId}`,
      headers: { 'x-forwarded-for': '10.1.2.3' },
    });

    for (const response of [refused, claimed]) {
      expect(refusalOf(response)).toEqual([403, 'permission_denied']);
      expect(response.json.error.detail).toEqual({ reason: 'network_policy' });
      expect(response.headers['ratelimit']).toBeUndefined();
    }
    expect((await here.api.status(refreshId)).status).toBe(200);
  });
});

test.each<[ServiceName, string, readonly ServiceName[]]>([
  ['gateway', '/internal/projects/{project}/event-access', ['event-stream']],
  ['gateway', '/internal/accounts/{account}/event-projects', ['event-stream']],
  ['refresh-collector', '/admission', ['gateway']],
  ['billing-ledger', '/prices', ['gateway']],
  ['billing-ledger', '/holds?limit=1', ['refresh-collector']],
  ['revision-store', '/scans/{refresh}/epochs/1/pages', ['gateway']],
  ['event-stream', '/projects/{project}/log?after=0&limit=1', ['gateway']],
])('the %s answers %s to %j alone, each by its own token', async (service, path, named) => {
  const filled = path
    .replace('{project}', owner.projectId)
    .replace('{account}', owner.accountId)
    .replace('{refresh}', refreshId);
  const { url: base = '' } = stack.services.find((one) => one.service === service) ?? {};
  const url = `${base}${filled}`;
  const requestWith = async (token: string | undefined) => {
    const headers = token === undefined ? {} : { 'x-service-token': token };
    const response = await fetch(url, { headers });
    return { status: response.status, body: await response.text() };
  };

  for (const caller of serviceNames) {
    const { status, body } = await requestWith(stack.secrets[caller]);
    expect([caller, status]).toEqual([caller, named.includes(caller) ? 200 : 403]);
    if (status === 403) expect(body).toContain('caller_not_permitted');
  }
  const [own = ''] = named.map((name) => stack.secrets[name]);
  for (const token of [undefined, '', 'a wrong one', `${own}x`, owner.secret]) {
    expect(await requestWith(token)).toMatchObject({
      status: 401,
      body: expect.stringContaining('service_token_required'),
    });
  }
});

test('nothing that is private is on the public port, whatever tokens are shown', async () => {
  const { 'event-stream': serviceToken = '', operatorToken = '' } = stack.secrets;
  const headers = { 'x-service-token': serviceToken, authorization: `Bearer ${operatorToken}` };
  const paths = [
    '/operator/v1/accounts',
    `/internal/projects/${owner.projectId}/event-access`,
    '/metrics',
    '/livez',
    '/readyz',
  ];
  for (const path of paths) {
    const response = await fetch(`${stack.gatewayUrl}${path}`, { headers });
    expect([path, response.status]).toEqual([path, 404]);
    await response.body?.cancel();
  }
});

test('after all this no log holds a secret, and without an exporter none names a trace', () => {
  const logs = stack.readLog();

  // Compared by themselves: a failure must not print what it found.
  const found = [...secrets, ...Object.values(stack.secrets), 'a key of this customer'].filter(
    (secret) => logs.includes(secret),
  );
  expect(found).toHaveLength(0);
  expect(/inv_[0-9a-z]+_[0-9A-Za-z]{43}/i.test(logs)).toBe(false);
  expect(logs.includes('"level":20')).toBe(true);
  expect(logs.includes('"trace_id"')).toBe(false);
  expect(logs.includes('internal_error')).toBe(false);
});
