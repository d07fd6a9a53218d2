import { credentialList, issuedCredential } from '@inventory/contracts/http/credentials';
import { isoTime, systemClock } from '@inventory/runtime/clock';
import { secretDigest } from '@inventory/runtime/secret-digest';
import { asSent } from '@inventory/testkit/as-sent';
import { newCredentialId, newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import type { ApiResponse } from './support/api-call.ts';
import { callDocumented } from './support/call-documented.ts';
import { world } from './support/file-world.ts';
import { operate, startWholeGateway, type WholeGateway } from './support/whole-gateway.ts';

let gateway: WholeGateway;

beforeAll(async () => {
  gateway = await startWholeGateway(world);
});

const manage = 'customer.credentials.manage.v1';
const current = 'platform.inventory.current.page.v1';

/** A customer whose Credential may issue others. */
async function newCustomer(given: object = {}) {
  const { account_id } = await operate(gateway, '/accounts', { name: 'Trader' });
  const { project_id } = await operate(gateway, `/accounts/${account_id}/projects`);
  const path = `/v2/projects/${project_id}/credentials`;
  const issue = (body: object) => operate(gateway, `/projects/${project_id}/credentials`, body);
  const own = await issue({ scopes: ['*', 'customer.account.read.v1', manage], ...given });
  const call = (method: string, rest = '', body?: unknown, key: string = own.secret) =>
    callDocumented(gateway.publicUrl, { method, path: `${path}${rest}`, key, body });
  const keyed = (idempotencyKey: string, rest: string, body: unknown, key: string = own.secret) =>
    callDocumented(gateway.publicUrl, {
      ...{ method: 'POST', path: `${path}${rest}`, key, body },
      headers: { 'Idempotency-Key': idempotencyKey },
    });
  return { account_id, project_id, own, issue, call, keyed };
}
const accountStatus = async (key: string) =>
  (await callDocumented(gateway.publicUrl, { path: '/v2/account', key })).status;

test('a customer issues a Credential, whose secret is shown once and ends with its rotation or revocation (Self-service Credentials) [self-service-credentials]', async () => {
  const { project_id, own, call } = await newCustomer();

  const issued = await call('POST', '', { name: 'Bot', scopes: [current] });
  const { credential_id: id, secret } = asSent(issuedCredential, issued.json.data);
  const rest = `/${id}`;
  expect(issued.status).toBe(201);
  expect(issued.json.data).toMatchObject({ project_id, name: 'Bot', scopes: [current] });
  expect(await accountStatus(secret)).toBe(200);

  const rotated = await call('POST', `${rest}/rotate`, {});
  const second = rotated.json.data.secret;
  expect([await accountStatus(secret), await accountStatus(second)]).toEqual([401, 200]);

  const revoked = await call('DELETE', rest);
  const again = await call('DELETE', rest);
  expect(revoked.json.data).toMatchObject({ state: 'revoked', credential_id: id });
  expect(again.json.data).toEqual(revoked.json.data);
  expect(await accountStatus(second)).toBe(401);
  expect((await call('POST', `${rest}/rotate`, {})).json.error?.code).toBe('credential_revoked');

  const first = await call('GET', '?limit=1');
  const rest2 = await call('GET', `?cursor=${first.json.data.pagination.next_cursor}`);
  const items = [first, rest2].flatMap(({ json }) => asSent(credentialList, json.data).items);
  expect(items.map((item) => item.credential_id)).toEqual([own.credential_id, id]);
  expect(first.text + rest2.text).not.toContain(secret.slice(0, 40));
});

test('none is issued with more than the own Credential may do (Self-service Credentials) [self-service-credentials, scopes]', async () => {
  const networks = ['127.0.0.0/8'];
  const ends = '2030-01-01T00:00:00.000Z';
  const { own, call } = await newCustomer({
    scopes: [current, manage, 'customer.webhooks.manage.v1'],
    network_policy: networks,
    expires_at: ends,
  });
  const refusedOf = async (body: object) => {
    const { status, json } = await call('POST', '', body);
    return [status, json.error?.detail];
  };

  const refused = (permission?: string) => [
    403,
    { reason: 'not_delegable', ...(permission && { permission }) },
  ];
  for (const lacking of ['platform.inventory.refresh.v1', 'customer.events.read.v1']) {
    expect(await refusedOf({ scopes: [current, lacking] })).toEqual(refused(lacking));
  }
  for (const managing of [manage, 'customer.webhooks.manage.v1']) {
    expect(await refusedOf({ scopes: [managing] })).toEqual(refused(managing));
  }
  expect(await refusedOf({ scopes: ['*'] })).toEqual(refused());
  expect(await refusedOf({ scopes: [current], expires_at: null })).toEqual(refused());
  const later = '2031-01-01T00:00:00.000Z';
  expect(await refusedOf({ scopes: [current], expires_at: later })).toEqual(refused());

  const { json } = await call('POST', '', { scopes: [current] });
  expect(json.data).toMatchObject({
    service_account_id: own.service_account_id,
    network_policy: networks,
    expires_at: ends,
  });
});

test('a Credential with a spend cap issues none with more, and sets none above its own; without one any cap can be set (Spend cap per Credential) [credential-spend-cap]', async () => {
  const { account_id, own, issue, call } = await newCustomer();
  const { credential_id: free } = await issue({ scopes: [current] });
  const capsOf = (id: string) =>
    world.ledger.configurations
      .filter(({ accountId }) => accountId === account_id)
      .flatMap(({ change }) => (change.sets === 'credential_spend_cap' ? [change] : []))
      .filter(({ credentialId }) => credentialId === id)
      .map(({ cap }) => cap);
  const wanted = (spend_cap?: number | null) => ({ scopes: [current], spend_cap });
  const cap = (id: string, of: number | null) => call('PUT', `/${id}/spend-cap`, { cap: of });

  const uncapped = (await call('POST', '', wanted())).json.data.credential_id;
  expect(capsOf(uncapped)).toEqual([]);
  expect((await cap(free, 900)).json.data).toEqual({ credential_id: free, cap: 900 });
  expect((await cap(free, null)).status).toBe(200);
  expect(capsOf(free)).toEqual([900, null]);

  const resets_at = '2026-12-01T00:00:00.000Z';
  const capped = { credential_id: own.credential_id, cap: 500, spent: 20, resets_at };
  world.ledger.terms.set(account_id, {
    funding: { mode: 'credits' },
    ...{ spend_caps: [], credential_spend_caps: [capped], balance_alert: null },
  });
  const inherited = (await call('POST', '', wanted())).json.data.credential_id;
  const lower = (await call('POST', '', wanted(20))).json.data.credential_id;
  expect([capsOf(inherited), capsOf(lower)]).toEqual([[500], [20]]);
  const refusals = [
    await call('POST', '', wanted(501)),
    await call('POST', '', wanted(null)),
    await cap(lower, 501),
    await cap(lower, null),
  ];
  expect(refusals.map(({ json }) => json.error?.detail)).toEqual(
    Array(4).fill({ reason: 'not_delegable' }),
  );
  expect((await cap(lower, 500)).status).toBe(200);
  expect((await cap(own.credential_id, 500)).status).toBe(403);
  expect((await cap(newCredentialId(), 5)).status).toBe(404);
  const project = `/v2/projects/${own.project_id}`;
  const shown = await callDocumented(gateway.publicUrl, { path: project, key: own.secret });
  expect(shown.json.data.credential_spend_cap).toEqual({ cap: 500, spent: 20, resets_at });
});

test('a wider Credential, one of another Service account or Project is neither rotated nor revoked (Self-service Credentials) [self-service-credentials]', async () => {
  const { account_id, own, issue, call } = await newCustomer();
  const { service_account_id } = await operate(
    gateway,
    `/accounts/${account_id}/service-accounts`,
    { name: 'Bots' },
  );
  const others = [
    own,
    await issue({ scopes: [current, 'customer.events.read.v1'] }),
    await issue({ scopes: [current], service_account_id }),
  ];
  const foreign = (await newCustomer()).own;

  const codes = async (id: string) => {
    const responses = [await call('POST', `/${id}/rotate`, {}), await call('DELETE', `/${id}`)];
    return responses.map(({ json }) => json.error?.code);
  };
  for (const { credential_id, secret } of others) {
    expect(await codes(credential_id)).toEqual(['permission_denied', 'permission_denied']);
    expect(await accountStatus(secret)).toBe(200);
  }
  for (const id of [foreign.credential_id, newCredentialId()]) {
    expect(await codes(id)).toEqual(['credential_not_found', 'credential_not_found']);
  }
  expect(await accountStatus(foreign.secret)).toBe(200);
});

/** Stores copies of a Credential, each newer than the one before, with these fields. */
async function storeCopies(of: string, copies: number, fields: object): Promise<void> {
  const credentials = world.records.collection<{ _id: string; secrets: object[] }>('credentials');
  const stored = await credentials.findOne({ _id: of });
  if (stored === null) throw new Error('there is no such Credential');
  const { secrets } = stored;
  const copied = Array.from({ length: copies }, () => {
    const _id = newCredentialId();
    const own = secrets.map((secret) => ({ ...secret, digest: `of ${_id}` }));
    return { ...stored, ...fields, _id, credentialId: _id, secrets: own };
  });
  await credentials.insertMany(copied);
}

const hourMs = 3_600_000;
const agoMs = (ms: number) => systemClock.now() - ms;

test('a Project can issue a hundred active Credentials itself; those that were revoked or have expired do not count (Self-service Credentials) [self-service-credentials]', async () => {
  const { own, issue, call } = await newCustomer();
  const wanted = { scopes: [current] };
  const { credential_id } = await issue(wanted);
  await storeCopies(credential_id, 50, { expiresAtMs: agoMs(hourMs) });
  await storeCopies(own.credential_id, 97, {});

  expect((await call('POST', '', wanted)).status).toBe(201);
  const { status, json } = await call('POST', '', wanted);
  expect([status, json.error?.code, json.error?.detail]).toEqual([
    409,
    'credential_limit_reached',
    { limit: 100 },
  ]);
  await call('DELETE', `/${credential_id}`);
  expect((await call('POST', '', wanted)).status).toBe(201);
});

test('a Project can be issued two hundred Credentials within 24 hours, however many of them are revoked (Self-service Credentials) [self-service-credentials]', async () => {
  const { own, call } = await newCustomer();
  const wanted = { scopes: [current] };
  const revoked = (ms: number) => ({
    state: 'revoked',
    createdAtMs: agoMs(ms),
    revokedAtMs: agoMs(ms),
  });
  await storeCopies(own.credential_id, 2, revoked(25 * hourMs));
  await storeCopies(own.credential_id, 198, revoked(23 * hourMs));
  const last = await call('POST', '', wanted);
  expect(last.status).toBe(201);
  await call('DELETE', `/${last.json.data.credential_id}`);
  await storeCopies(own.credential_id, 1, revoked(hourMs));

  const refused = await call('POST', '', wanted);

  expect([refused.status, refused.json.error?.detail]).toEqual([
    429,
    { limit: 'credentials_issued', per_day: 200 },
  ]);
  const retryAfter = Number(refused.headers['retry-after']);
  expect([retryAfter > 0, retryAfter <= 3_600]).toEqual([true, true]);
  expect((await call('POST', `/${own.credential_id}/rotate`, {})).status).toBe(403);
});

interface Deleted {
  readonly _id: string;
  readonly expireAt: Date | null;
}

test('a Credential is deleted some time after it was revoked or has expired, and no other (Self-service Credentials) [self-service-credentials]', async () => {
  const { own, issue, call } = await newCustomer();
  const endAtMs = Date.UTC(2099, 0);
  const end = { expires_at: isoTime(endAtMs) };
  const ending = await issue({ scopes: [current], ...end });
  const lifted = await issue({ scopes: [current], ...end });
  const set = await issue({ scopes: [current] });
  await operate(gateway, `/credentials/${lifted.credential_id}`, { expires_at: null }, 'PATCH');
  await operate(gateway, `/credentials/${set.credential_id}`, end, 'PATCH');
  const revoked = (await call('DELETE', `/${(await issue({ scopes: [current] })).credential_id}`))
    .json.data;
  const credentials = world.records.collection<Deleted>('credentials');
  const deletedAt = async (id: string) => (await credentials.findOne({ _id: id }))?.expireAt;
  const later = (timeMs: number) => new Date(timeMs + 90 * 24 * hourMs);

  const deleting = (await credentials.indexes()).filter((one) => one.expireAfterSeconds === 0);
  expect(deleting.map(({ key }) => key)).toEqual([{ expireAt: 1 }]);
  expect(await deletedAt(own.credential_id)).toBeNull();
  expect(await deletedAt(lifted.credential_id)).toBeNull();
  expect(await deletedAt(ending.credential_id)).toEqual(later(endAtMs));
  expect(await deletedAt(set.credential_id)).toEqual(later(endAtMs));
  expect(await deletedAt(revoked.credential_id)).toEqual(later(Date.parse(revoked.revoked_at)));
});

test('of two rotations at once one is refused, and no secret of the other is handed out (Self-service Credentials) [self-service-credentials]', async () => {
  const { call } = await newCustomer();
  const { credential_id } = (await call('POST', '', { scopes: [current] })).json.data;
  const rotations = await Promise.all(
    Array.from({ length: 4 }, () => call('POST', `/${credential_id}/rotate`, {})),
  );

  const codes = rotations.map(({ json }) => json.error?.code ?? 'rotated');
  expect(codes).toContain('rotated');
  expect(codes.every((code) => ['rotated', 'service_unavailable'].includes(code))).toBe(true);
  const valid = rotations
    .filter(({ status }) => status === 200)
    .map(({ json }) => json.data.secret);
  const statuses = await Promise.all(valid.map(accountStatus));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});

test('a Project that is not the own one has no Credentials to be seen (Self-service Credentials) [self-service-credentials]', async () => {
  const { own } = await newCustomer();
  const path = `/v2/projects/${newProjectId()}/credentials`;
  const calls = [
    { path },
    { method: 'POST', path, body: { scopes: [current] } },
    { method: 'POST', path: `${path}/${own.credential_id}/rotate`, body: {} },
    { method: 'DELETE', path: `${path}/${own.credential_id}` },
  ];
  const responses = await Promise.all(
    calls.map((call) => callDocumented(gateway.publicUrl, { ...call, key: own.secret })),
  );

  expect(responses.map(({ json }) => json.error?.code)).toEqual(Array(4).fill('project_not_found'));
});

test('the rotation and the revocation of a Credential by its customer are audit lines, as a restore has to repeat them (Self-service Credentials) [self-service-credentials]', async () => {
  const logged = jest.spyOn(testLogger, 'info');
  const { project_id, own, call } = await newCustomer();
  const { json } = await call('POST', '', { name: 'Bot', scopes: [current] });
  const { credential_id } = json.data;

  await call('POST', `/${credential_id}/rotate`, { overlap_seconds: 60 });
  const { json: revoked } = await call('DELETE', `/${credential_id}`);

  const by = { operator: null, by_credential_id: own.credential_id, outcome: 'done' };
  const of = { ...by, project_id, credential_id };
  const lines = logged.mock.calls.map(([line]) => line as { audit?: unknown; request_id?: string });
  logged.mockRestore();
  expect(lines.flatMap(({ audit = [] }) => audit).slice(-2)).toEqual([
    { ...of, action: 'credential.rotate', overlap_seconds: 60 },
    { ...of, action: 'credential.revoke' },
  ]);
  expect(lines.at(-1)?.request_id).toBe(revoked.meta.request_id);
});

const replayed = ({ headers }: ApiResponse) => headers['idempotency-replayed'] === 'true';

test('a repeated key issues one Credential and shows its secret again, at once, later, past a limit and after a rotation; other inputs are refused (Idempotency-Key of secrets) [idempotency-key-of-secrets, self-service-credentials]', async () => {
  const { call, keyed } = await newCustomer();
  const wanted = { name: 'Bot', scopes: [current] };
  const answers = await Promise.all(Array.from({ length: 4 }, () => keyed('once', '', wanted)));
  const [first] = answers;
  const { credential_id: id, secret } = first?.json.data ?? {};

  expect(answers.map(({ status, json }) => [status, json.data.credential_id])).toEqual(
    Array(4).fill([201, id]),
  );
  expect(answers.map(({ json }) => json.data.secret)).toEqual(Array(4).fill(secret));
  expect(answers.filter((answer) => !replayed(answer))).toHaveLength(1);
  expect(await accountStatus(secret)).toBe(200);

  const conflict = await keyed('once', '', { ...wanted, name: 'Other' });
  expect([conflict.status, conflict.json.error?.code]).toEqual([409, 'idempotency_conflict']);
  await call('POST', `/${id}/rotate`, {});
  await storeCopies(id, 200, { state: 'revoked' });
  const again = await keyed('once', '', wanted);
  expect([again.status, again.json.data.secret, replayed(again)]).toEqual([201, secret, true]);
  const others = [
    await keyed('other', '', wanted),
    (await newCustomer()).keyed('once', '', wanted),
  ];
  const [refused, ofOther] = await Promise.all(others);
  expect(refused?.status).toBe(429);
  expect(ofOther?.json.data.secret).not.toBe(secret);
  expect(await accountStatus(secret)).toBe(401);
});

test('a refused request leaves its key free, and a key shows nothing to a Credential that could not have issued it (Idempotency-Key of secrets) [idempotency-key-of-secrets, self-service-credentials]', async () => {
  const { issue, keyed } = await newCustomer();
  const refused = await keyed('k', '', { scopes: [manage] });
  const first = await keyed('k', '', { scopes: [current, 'customer.account.read.v1'] });
  const narrower = await issue({ scopes: [current, manage] });

  const { scopes } = first.json.data;
  const other = await keyed('k', '', { scopes }, narrower.secret);

  expect([refused.status, first.status, replayed(first)]).toEqual([403, 201, false]);
  expect([other.status, other.json.error?.code]).toEqual([403, 'permission_denied']);
});

test('a repeated key rotates a Credential once, however often and late it is repeated, and no other rotation is undone (Idempotency-Key of secrets) [idempotency-key-of-secrets, self-service-credentials]', async () => {
  const { call, keyed } = await newCustomer();
  const { credential_id: id, secret: issued } = (await call('POST', '', { scopes: [current] })).json
    .data;
  const rotate = () => keyed('once', `/${id}/rotate`, { overlap_seconds: 60 });

  const answers = await Promise.all([rotate(), rotate(), rotate()]);
  const secret = answers[0]?.json.data.secret;
  expect(answers.map(({ status, json }) => [status, json.data.secret])).toEqual(
    Array(3).fill([200, secret]),
  );
  // One rotation: two would have ended it.
  expect(await accountStatus(issued)).toBe(200);
  const conflict = await keyed('once', `/${id}/rotate`, { overlap_seconds: 61 });
  expect(conflict.json.error?.code).toBe('idempotency_conflict');

  const second = (await call('POST', `/${id}/rotate`, {})).json.data.secret;
  const late = await rotate();
  expect([late.json.data.secret, replayed(late)]).toEqual([secret, true]);
  expect([await accountStatus(secret), await accountStatus(second)]).toEqual([401, 200]);
});

test('no secret under a key is stored; a request that a crash ended issues the same; the key is kept for a day (Idempotency-Key of secrets) [idempotency-key-of-secrets]', async () => {
  const { keyed } = await newCustomer();
  const { secret } = (await keyed('order-4711', '', { scopes: [current] })).json.data;
  const promises = world.records.collection('promised_secrets');
  const stored = await promises.find({}).toArray();
  const credentials = await world.records.collection('credentials').find({}).toArray();

  const text = JSON.stringify([stored, credentials]);
  expect(text).not.toContain(secret.split('_')[2]);
  expect(text).not.toContain('order-4711');
  const kept = stored.map(({ expiresAtMs, expireAt }) => [expiresAtMs, expireAt.getTime()]);
  const dayMs = 24 * hourMs;
  for (const [atMs, deletedAtMs] of kept) {
    expect(atMs).toBe(deletedAtMs);
    expect(Math.abs(atMs - systemClock.now() - dayMs)).toBeLessThan(hourMs);
  }
  // As after a crash between the promise and the insert.
  const ofSecret = { 'secrets.digest': secretDigest(secret) };
  expect(await world.records.collection('credentials').deleteOne(ofSecret)).toMatchObject({
    deletedCount: 1,
  });
  const resumed = await keyed('order-4711', '', { scopes: [current] });
  expect(resumed.json.data.secret).toBe(secret);
  expect(await accountStatus(secret)).toBe(200);
  await promises.updateMany({}, { $set: { expiresAtMs: agoMs(1) } });
  const later = await keyed('order-4711', '', { scopes: ['*'] });
  expect([later.status, replayed(later)]).toEqual([201, false]);
});
