import { errorMeta } from '@inventory/contracts/http/error-body';
import { type FieldsSchema, sentFields } from '@inventory/contracts/wire';
import { ServiceUnreachable } from '@inventory/http/internal-client';
import { newSandboxScope, newScope } from '@inventory/testkit/builders';
import { publicRoutes } from '../src/public-routes.ts';
import { playCredits } from '../src/sandbox/play-credits.ts';
import { sandboxTwinId } from '../src/tenancy/sandbox-twin.ts';
import type { ApiResponse } from './support/api-call.ts';
import { world as operators } from './support/file-operator-world.ts';
import { world } from './support/file-world.ts';
import { mayAll, rightCall } from './support/operation-calls.ts';
import { refreshPathOf } from './support/paths.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

const ofErrors = sentFields(errorMeta);
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(world);
});
afterAll(() => gateway?.stop());

async function newAccount(): Promise<string> {
  const body = { name: 'Trader' };
  return (await operators.call({ method: 'POST', path: '/accounts', body })).json.account_id;
}
const putSandbox = (accountId: string, call = operators.call) =>
  call({ method: 'PUT', path: `/accounts/${accountId}/sandbox` });
const change = (accountId: string, body: object) =>
  operators.call({ method: 'PATCH', path: `/accounts/${accountId}`, body });
const stateOf = async (accountId: string) =>
  (await operators.call({ path: `/accounts/${accountId}` })).json.state;

test('an account has one sandbox, however often and concurrently it is created: with a Project, play credits and lower limits (Sandbox) [sandbox]', async () => {
  const parent = await newAccount();

  const [first, ...more] = await Promise.all([1, 2, 3].map(() => putSandbox(parent)));
  await putSandbox(parent);

  expect(first?.json.account).toMatchObject({
    account_id: expect.stringMatching(/^acc_[0-9a-f]{8}-[0-9a-f]{4}-8/),
    parent_account_id: parent,
    environment: 'sandbox',
    state: 'active',
    rate_limit_per_minute: 60,
    events_enabled: true,
  });
  for (const { status, json } of more) {
    expect(status).toBe(200);
    expect(json.account.account_id).toBe(first?.json.account.account_id);
    expect(json.project.project_id).toBe(first?.json.project.project_id);
  }
  const twin = `/accounts/${first?.json.account.account_id}`;
  const projects = await operators.call({ path: `${twin}/projects` });
  expect(projects.json.items).toHaveLength(1);
  const { balances } = (await operators.call({ path: `${twin}/balance` })).json;
  expect(balances[0].available).toBe(playCredits);
});

test.each([
  ['minted', {}],
  ['derived', { 'idempotency-key': 'first-key' }],
])(
  'the secret of a sandbox Credential says test, %s, also once it is rotated (Sandbox) [sandbox]',
  async (_how, headers) => {
    const { json } = await putSandbox(await newAccount());
    const path = `/projects/${json.project.project_id}/credentials`;

    const issued = await operators.call({ method: 'POST', path, headers, body: { scopes: ['*'] } });
    const rotate = `/credentials/${issued.json.credential_id}/rotate`;
    const rotated = await operators.call({ method: 'POST', path: rotate, headers });

    for (const { secret } of [issued.json, rotated.json]) {
      expect(secret).toMatch(/^inv_test_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    }
    const found = await operators.tenancy.principals.findPrincipal(rotated.json.secret);
    expect(found).toMatchObject({ environment: 'sandbox', accountId: json.account.account_id });
  },
);

test('a sandbox is suspended and reactivated with its account, and created suspended where that is (Sandbox) [sandbox]', async () => {
  const [parent, late] = [await newAccount(), await newAccount()];
  const twin = (await putSandbox(parent)).json.account.account_id;

  await change(parent, { state: 'suspended' });
  await change(late, { state: 'suspended' });
  expect(await stateOf(twin)).toBe('suspended');
  expect((await putSandbox(parent)).json.account.state).toBe('suspended');
  expect((await putSandbox(late)).json.account.state).toBe('suspended');

  await change(parent, { state: 'active' });
  expect(await stateOf(twin)).toBe('active');
  await change(twin, { state: 'suspended' });
  expect(await stateOf(parent)).toBe('active');
});

test('a sandbox has none of its own, and without a collector of the sandbox none is created (Sandbox) [sandbox]', async () => {
  const parent = await newAccount();
  const collectorOf = () => {
    throw new ServiceUnreachable('no sandbox is configured');
  };
  const without = await operators.callWith({ collectorOf });

  expect(await putSandbox(parent, without)).toMatchObject({
    status: 503,
    json: { error: { detail: { reason: 'no sandbox is configured' } } },
  });
  const twin = (await putSandbox(parent)).json.account.account_id;
  expect(await putSandbox(twin)).toMatchObject({
    status: 422,
    json: { error: { detail: { issues: [{ in: 'path', field: 'account_id' }] } } },
  });
});

test('a Project of a sandbox says so (What a key can see) [sandbox]', async () => {
  const { accountId } = world.issue().principal;
  const { key, principal } = world.issue({ accountId: sandboxTwinId(accountId) });

  const answer = await gateway.call({ path: `/v2/projects/${principal.projectId}`, key });

  expect(answer.json.data.environment).toBe('sandbox');
  expect(answer.json.meta.environment).toBe('sandbox');
});

test('beyond its pace a refresh of a sandbox is refused with the time to wait, and a replay is not (Sandbox) [sandbox]', async () => {
  const paced = await startTestGateway(world, {
    sandboxRefreshesPerMinute: 2,
    sandboxRefreshCollectorUrl: world.collector.http.url,
  });
  const { accountId } = world.issue().principal;
  const { key } = world.issue({ accountId: sandboxTwinId(accountId) });
  const [scope, body] = [newSandboxScope(), { max_credits: 125 }];
  const request = (name: string) => {
    const headers = { 'Idempotency-Key': name };
    return paced.call({ method: 'POST', path: refreshPathOf(scope), key, body, headers });
  };

  const accepted = [await request('first'), await request('second')];
  const refused = await request('third');
  const replay = await request('first');

  expect(accepted.map(({ status }) => status)).toEqual([202, 202]);
  expect([refused.status, refused.json.error.code]).toEqual([429, 'outstanding_limit_exceeded']);
  expect(refused.json.error.detail).toMatchObject({ limit: 'account_share', outstanding_max: 2 });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect([replay.status, replay.json.data.refresh_id]).toEqual([
    202,
    accepted[0]?.json.data.refresh_id,
  ]);
  await paced.stop();
});

test('the public status states that it is of the live environment (Sandbox) [sandbox]', async () => {
  const { json } = await gateway.call({ path: '/v2/status' });

  expect(json.meta.environment).toBe('live');
});

test('every response with meta states the environment (Sandbox) [sandbox]', () => {
  const metas = publicRoutes.flatMap(({ operationId, response: { body } }) =>
    'meta' in body ? [{ operationId, fields: sentFields(body.meta as FieldsSchema) }] : [],
  );

  expect(metas.length).toBeGreaterThan(30);
  for (const { operationId, fields } of [...metas, { operationId: 'error', fields: ofErrors }]) {
    expect([operationId, Object.keys(fields)]).toEqual([
      operationId,
      expect.arrayContaining(['environment']),
    ]);
  }
});

test.each(publicRoutes.filter(({ template }) => template.startsWith('/v2/sandbox')))(
  '$operationId does not exist for a live key, whatever its permissions, and costs it no request (Sandbox: state verbs) [sandbox]',
  async ({ operationId }) => {
    const { key, principal } = world.issue({ ...mayAll, requestsPerMinute: 0 });
    const call = { ...rightCall(operationId, newSandboxScope(), principal), key };

    const answers = [await gateway.call(call), await gateway.call({ ...call, path: '/v2/none' })];

    for (const { status, json, headers } of answers) {
      expect([status, json.error.code]).toEqual([404, 'route_not_found']);
      expect(json.error).not.toHaveProperty('detail');
      expect(headers).not.toHaveProperty('ratelimit');
    }
  },
);

test('only what a sandbox key alone may call is below /v2/sandbox (Sandbox: state verbs) [sandbox]', () => {
  for (const { operationId, template, environment } of publicRoutes) {
    const expected = template.startsWith('/v2/sandbox/') ? 'sandbox' : undefined;
    expect([operationId, environment]).toEqual([operationId, expected]);
  }
});

const ofInventories = publicRoutes.filter((route) => {
  if (route.environment !== undefined) return false;
  const { path } = rightCall(route.operationId, newScope(), { projectId: 'prj_1' });
  return /\d{17}/.test(path) || ['requestRefreshes', 'putWatches'].includes(route.operationId);
});

/** A key of an account and one of its sandbox. */
function issueBoth() {
  const live = world.issue(mayAll);
  const twin = world.issue({ ...mayAll, accountId: sandboxTwinId(live.principal.accountId) });
  return { live, twin };
}

/** Of the request, or of the only item of a batch. */
const errorOf = ({ json }: ApiResponse) => (json.data?.items[0] ?? json).error;

test.each(ofInventories.map((route) => [route.operationId]))(
  '%s refuses an inventory of the other environment before anything is read or charged (Sandbox) [sandbox]',
  async (operationId) => {
    const { live, twin } = issueBoth();
    const ofSandbox = newScope({ platform_id: '77200000500000001' });
    const calls = [
      [live, ofSandbox],
      [twin, newScope()],
    ] as const;

    const before = world.ledger.balanceOf(live.principal.accountId);
    for (const [{ key, principal }, scope] of calls) {
      const answer = await gateway.call({ ...rightCall(operationId, scope, principal), key });

      const { issues } = errorOf(answer).detail;
      expect(issues).toEqual([
        expect.objectContaining({ field: expect.stringMatching(/(^|\.)platform_id$/) }),
      ]);
      expect(world.ledger.balanceOf(principal.accountId)).toBe(before);
    }
  },
);

test.each(ofInventories.map((route) => [route.operationId]))(
  '%s of the rate-limited platform account is refused as beyond the limit of a minute, for a sandbox alone (Sandbox; Rate limits) [sandbox]',
  async (operationId) => {
    const { live, twin } = issueBoth();
    const scope = newScope({ platform_id: '77142900000000001' });
    const call = ({ key, principal }: typeof live) =>
      gateway.call({ ...rightCall(operationId, scope, principal), key });

    const [refused, ofLive] = [await call(twin), await call(live)];

    const seconds = refused.headers['retry-after'];
    expect(refused.status).toBe(429);
    expect(refused.headers['ratelimit']).toBe(`"service_account";r=0;t=${seconds}`);
    expect(refused.text).toMatch(/"Rate limit exceeded"|"rate_limit_exceeded"/);
    expect(errorOf(ofLive).code).toBe('invalid_request');
  },
);
