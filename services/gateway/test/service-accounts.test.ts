import { type OperatorWorld, openOperatorWorld } from './support/operator-world.ts';

let world: OperatorWorld;

beforeAll(async () => {
  world = await openOperatorWorld();
});
afterAll(() => world?.close());

const post = (path: string, body?: unknown) => world.call({ method: 'POST', path, body });
const patch = (path: string, body: unknown) => world.call({ method: 'PATCH', path, body });

async function newCustomer() {
  const { json: account } = await post('/accounts', { name: 'Trader' });
  const { json: project } = await post(`/accounts/${account.account_id}/projects`, {});
  return { account, projectId: project.project_id };
}

async function issue(projectId: string, more: object = {}) {
  const response = await post(`/projects/${projectId}/credentials`, { scopes: ['*'], ...more });
  expect(response.status).toBe(201);
  return response.json;
}

const principalOf = (credential: { secret: string }) =>
  world.tenancy.principals.findPrincipal(credential.secret);

test('each account has a default Service account, whose Credentials share its limit and policy (Tenancy) [rate-limit]', async () => {
  const { account, projectId } = await newCustomer();
  const id = account.default_service_account_id;
  const credential = await issue(projectId);

  const limited = await patch(`/service-accounts/${id}`, { rate_limit_per_minute: 7 });
  const networked = await patch(`/service-accounts/${id}`, { network_policy: ['192.0.2.0/24'] });

  expect(limited.json).toMatchObject({ service_account_id: id, rate_limit_per_minute: 7 });
  expect(networked.json).toMatchObject({ is_default: true, network_policy: ['192.0.2.0/24'] });
  expect(credential.service_account_id).toBe(id);
  expect(await principalOf(credential)).toMatchObject({
    serviceAccountId: id,
    requestsPerMinute: 7,
    networkPolicies: [['192.0.2.0/24']],
    hasServiceAccounts: false,
  });
  const { json } = await world.call({ path: `/accounts/${account.account_id}` });
  expect(json).toMatchObject({ rate_limit_per_minute: 7, network_policy: null });
});

test('a Credential of another Service account has the limit and the policy of that one (Tenancy)', async () => {
  const { account, projectId } = await newCustomer();
  const { status, json: bots } = await post(`/accounts/${account.account_id}/service-accounts`, {
    name: 'Bots',
  });
  const ofDefault = await issue(projectId);
  const ofBots = await issue(projectId, { service_account_id: bots.service_account_id });

  await patch(`/service-accounts/${bots.service_account_id}`, {
    rate_limit_per_minute: 9,
    network_policy: ['198.51.100.0/24'],
  });
  await patch(`/accounts/${account.account_id}`, { traffic_limit_per_minute: 50 });

  expect(status).toBe(201);
  expect(await principalOf(ofBots)).toMatchObject({
    serviceAccountId: bots.service_account_id,
    requestsPerMinute: 9,
    networkPolicies: [['198.51.100.0/24']],
    ...{ trafficLimitPerMinute: 50, hasServiceAccounts: true },
  });
  expect(await principalOf(ofDefault)).toMatchObject({
    serviceAccountId: account.default_service_account_id,
    requestsPerMinute: 120,
    networkPolicies: [],
    ...{ trafficLimitPerMinute: 50, hasServiceAccounts: true },
  });
});

test('Service accounts are listed in parts, the default one first', async () => {
  const { account } = await newCustomer();
  const path = `/accounts/${account.account_id}/service-accounts`;
  for (const name of ['one', 'two', 'three']) await post(path, { name });

  const names: string[] = [];
  let cursor = '';
  do {
    const { json } = await world.call({ path: `${path}?limit=1${cursor}` });
    names.push(...json.items.map((item: { name: string }) => item.name));
    cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`;
  } while (cursor !== '');

  expect(names).toEqual(['default', 'one', 'two', 'three']);
});

test('a Credential is not issued for the Service account of another customer', async () => {
  const [one, other] = [await newCustomer(), await newCustomer()];
  const response = await post(`/projects/${one.projectId}/credentials`, {
    scopes: ['*'],
    service_account_id: other.account.default_service_account_id,
  });

  expect([response.status, response.json.error.code]).toEqual([404, 'service_account_not_found']);
});
