import { systemClock } from '@inventory/runtime/clock';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { world } from './support/file-operator-world.ts';
import type { OperatorResponse } from './support/operator-world.ts';
import { openTenancyReplica } from './support/tenancy-replica.ts';

const inventoryScope = 'platform.inventory.refresh.v1';

function post(path: string, body?: unknown) {
  return world.call({ method: 'POST', path, ...(body === undefined ? {} : { body }) });
}

function patch(path: string, body: unknown) {
  return world.call({ method: 'PATCH', path, body });
}

async function newAccount(): Promise<string> {
  return (await post('/accounts', { name: 'Trader' })).json.account_id;
}

async function newProject(accountId?: string): Promise<string> {
  const of = accountId ?? (await newAccount());
  return (await post(`/accounts/${of}/projects`)).json.project_id;
}

async function newCredential(projectId?: string) {
  const of = projectId ?? (await newProject());
  return (await post(`/projects/${of}/credentials`, { scopes: [inventoryScope] })).json;
}

test('from an account to a working key: three calls, each answering with what was made', async () => {
  const account = await post('/accounts', { name: '  Trader Ltd  ' });
  const project = await post(`/accounts/${account.json.account_id}/projects`, { name: 'Bot' });
  const credential = await post(`/projects/${project.json.project_id}/credentials`, {
    name: 'server 1',
    scopes: ['*', 'customer.events.read.v1', '*'],
    expires_at: '2099-01-01T01:00:00+01:00',
    network_policy: ['192.0.2.7', '::ffff:198.51.100.0/120'],
  });

  expect([account.status, project.status, credential.status]).toEqual([201, 201, 201]);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(account.json).toEqual({
    account_id: expect.stringMatching(/^acc_/),
    environment: 'live',
    parent_account_id: null,
    name: 'Trader Ltd',
    state: 'active',
    network_policy: null,
    rate_limit_per_minute: 120,
    traffic_limit_per_minute: null,
    default_service_account_id: account.json.account_id.replace('acc_', 'sa_'),
    events_enabled: false,
    capture_enabled: true,
    created_at: time,
    changed_at: time,
  });
  expect(project.json).toEqual({
    project_id: expect.stringMatching(/^prj_/),
    account_id: account.json.account_id,
    name: 'Bot',
    state: 'active',
    network_policy: null,
    created_at: time,
    changed_at: time,
  });
  expect(credential.json).toEqual({
    credential_id: expect.stringMatching(/^cred_/),
    project_id: project.json.project_id,
    account_id: account.json.account_id,
    service_account_id: account.json.default_service_account_id,
    name: 'server 1',
    state: 'active',
    public_id: credential.json.secret.split('_')[1],
    scopes: ['*', 'customer.events.read.v1'],
    expires_at: '2099-01-01T00:00:00.000Z',
    network_policy: ['192.0.2.7/32', '198.51.100.0/24'],
    replaced_secret_valid_until: null,
    created_at: time,
    changed_at: time,
    revoked_at: null,
    secret: expect.stringMatching(/^inv_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/),
  });
  const principal = await world.tenancy.principals.findPrincipal(credential.json.secret);
  expect(principal?.credentialId).toBe(credential.json.credential_id);
});

test('a secret is in the answer that issues or rotates it, and nowhere else: no list, no log', async () => {
  const projectId = await newProject();
  const issued = await newCredential(projectId);
  const path = `/credentials/${issued.credential_id}`;
  const rotated = (await post(`${path}/rotate`, { overlap_seconds: 60 })).json;

  const seen = [
    await world.call({ path }),
    await world.call({ path: `/projects/${projectId}/credentials` }),
    await patch(path, { scopes: ['*'] }),
    await post(`${path}/rotate`, { overlap_seconds: -1 }),
    await post(`${path}/revoke`),
    await post(`${path}/rotate`),
  ].map(({ text }) => text);

  expect(rotated.secret).not.toBe(issued.secret);
  for (const secret of [issued.secret, rotated.secret]) {
    const entropy = secret.split('_')[2];
    expect(entropy).toHaveLength(43);
    for (const text of [...seen, ...world.log]) expect(text).not.toContain(entropy);
  }
  expect(seen.join()).not.toMatch(/digest/);
});

test('a Credential is issued and rotated once per key, and its secret is shown to the same call again (Idempotency-Key of secrets) [idempotency-key-of-secrets]', async () => {
  const projectId = await newProject();
  const once = (path: string, body: object) =>
    world.call({ method: 'POST', path, body, headers: { 'idempotency-key': 'once' } });
  const issue = () => once(`/projects/${projectId}/credentials`, { scopes: ['*'] });

  const wrong = { scopes: ['*'], service_account_id: 'sa_01890000-0000-7000-8000-000000000000' };
  const refused = await once(`/projects/${projectId}/credentials`, wrong);
  const issued = [await issue(), await issue()];
  const [first] = issued;
  const rotate = () => once(`/credentials/${first?.json.credential_id}/rotate`, {});
  const rotated = [await rotate(), await rotate()];

  expect(refused.status).toBe(404);
  for (const [one, again] of [issued, rotated]) {
    expect(again?.json.secret).toBe(one?.json.secret);
    expect([one, again].map((answer) => answer?.headers.get('idempotency-replayed'))).toEqual([
      null,
      'true',
    ]);
  }
  expect(rotated[0]?.json.secret).not.toBe(first?.json.secret);
  const { items } = (await world.call({ path: `/projects/${projectId}/credentials` })).json;
  expect(items).toHaveLength(1);
});

test('a revocation over the API is effective on another replica, which has the key cached', async () => {
  // Its clock does not move: what it has cached stays until the change is announced.
  const clock = createTestClock(systemClock.now());
  const other = await openTenancyReplica({ namespace: world.namespace, clock });
  try {
    const { credential_id, secret } = await newCredential();
    expect(await other.tenancy.principals.findPrincipal(secret)).not.toBeNull();

    const revoked = await post(`/credentials/${credential_id}/revoke`);

    expect(revoked.json).toMatchObject({ state: 'revoked', revoked_at: expect.any(String) });
    await waitFor(
      'the other replica refuses the key',
      async () => (await other.tenancy.principals.findPrincipal(secret)) === null,
    );
    const again = await post(`/credentials/${credential_id}/revoke`);
    expect(again.json).toEqual(revoked.json);
  } finally {
    await other.close();
  }
});

test('suspending and reactivating an account or a Project is seen in what is shown of it', async () => {
  const accountId = await newAccount();
  const projectId = await newProject(accountId);

  for (const path of [`/accounts/${accountId}`, `/projects/${projectId}`]) {
    expect((await patch(path, { state: 'suspended' })).json.state).toBe('suspended');
    expect((await patch(path, { state: 'suspended' })).json.state).toBe('suspended');
    expect((await world.call({ path })).json.state).toBe('suspended');
    expect((await patch(path, { state: 'active' })).json.state).toBe('active');
    expect((await world.call({ path })).json.state).toBe('active');
  }
});

test('a change sets the fields that it has, one or all, and leaves the others [capture-is-optional]', async () => {
  const path = `/accounts/${await newAccount()}`;
  const change = {
    state: 'suspended',
    network_policy: ['2001:DB8::/32'],
    rate_limit_per_minute: 600,
    traffic_limit_per_minute: 900,
    events_enabled: true,
    capture_enabled: false,
  };

  const all = await patch(path, change);
  const again = await patch(path, change);
  const one = await patch(path, { network_policy: null });

  const { changed_at, ...expected } = { ...all.json, ...change, network_policy: ['2001:db8::/32'] };
  expect(all.json).toMatchObject(expected);
  expect(again.json).toMatchObject(expected);
  expect(one.json).toMatchObject({ ...expected, network_policy: null });
  expect((await world.call({ path })).json).toEqual(one.json);
});

test('a field that no change has is refused with the one that it is close to, and nothing is changed', async () => {
  const path = `/accounts/${await newAccount()}`;

  const response = await patch(path, { events_enabeld: true, state: 'suspended' });

  expect(response.json.error).toMatchObject({
    code: 'invalid_request',
    detail: {
      issues: [
        {
          in: 'body',
          field: 'events_enabeld',
          reason: 'is not a known field; events_enabled is',
        },
      ],
    },
  });
  expect((await world.call({ path })).json.state).toBe('active');
});

test('scopes, expiry and policy of a Credential are replaced; a revoked one refuses them', async () => {
  const { credential_id, secret } = await newCredential();
  const path = `/credentials/${credential_id}`;

  await patch(path, { scopes: ['customer.account.read.v1'] });
  await patch(path, { expires_at: '2099-01-01T00:00:00Z', network_policy: ['192.0.2.0/24'] });

  expect(await world.tenancy.principals.findPrincipal(secret)).toMatchObject({
    permissions: ['customer.account.read.v1'],
    expiresAtMs: Date.UTC(2099, 0),
    networkPolicies: [['192.0.2.0/24']],
  });
  expect((await patch(path, { expires_at: null })).json.expires_at).toBeNull();
  await post(`${path}/revoke`);
  for (const refused of [
    await patch(path, { scopes: ['*'] }),
    await patch(path, { expires_at: null }),
    await patch(path, { network_policy: null }),
    await post(`${path}/rotate`),
  ]) {
    expect([refused.status, refused.json.error.code]).toEqual([409, 'credential_revoked']);
  }
});

test('a rotation with an overlap states until when the replaced secret is valid', async () => {
  const { credential_id } = await newCredential();

  const rotated = await post(`/credentials/${credential_id}/rotate`, { overlap_seconds: 3_600 });

  const until = Date.parse(rotated.json.replaced_secret_valid_until);
  expect(until - Date.parse(rotated.json.changed_at)).toBe(3_600_000);
  const again = await post(`/credentials/${credential_id}/rotate`);
  expect(again.json.replaced_secret_valid_until).toBeNull();
});

test('lists come in the order of creation, in parts, each item once', async () => {
  const accountId = await newAccount();
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1) made.push(await newProject(accountId));
  const foreign = await newProject();

  const listed: string[] = [];
  const path = `/accounts/${accountId}/projects?limit=2`;
  let more: string | null = '';
  for (let parts = 0; more !== null && parts < 10; parts += 1) {
    const part: OperatorResponse = await world.call({ path: path + more });
    expect(part.json.items.length).toBeLessThanOrEqual(2);
    listed.push(...part.json.items.map((item: { project_id: string }) => item.project_id));
    more = part.json.next_cursor && `&cursor=${part.json.next_cursor}`;
  }

  expect(listed).toEqual(made);
  expect(listed).not.toContain(foreign);
});

test('a list that ends with its part has no next cursor', async () => {
  const accountId = await newAccount();
  await newProject(accountId);
  await newProject(accountId);

  const { json } = await world.call({ path: `/accounts/${accountId}/projects?limit=2` });

  expect(json.items).toHaveLength(2);
  expect(json.next_cursor).toBeNull();
});
