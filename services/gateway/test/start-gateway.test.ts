import { newScope } from '@inventory/testkit/builders';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import type { GatewayConfig } from '../src/config.ts';
import { standardDeadlines } from '../src/deadlines.ts';
import { startGateway } from '../src/start-gateway.ts';
import { callApi } from './support/api-call.ts';
import { saveInventory } from './support/fake-revision-store.ts';
import { currentPathOf, refreshPathOf } from './support/paths.ts';
import {
  cursorKeys,
  type GatewayWorld,
  openWorld,
  patientCaptures,
  patientLimits,
  patientLivePages,
  testStreams,
  unusedUrl,
} from './support/test-gateway.ts';

const operatorToken = 'token-of-an-operator-for-tests';
let world: GatewayWorld;
let gateways: Awaited<ReturnType<typeof start>>[];

function start() {
  const config: GatewayConfig = {
    ...testServiceConfig(world.namespace, 'gateway'),
    publicHttp: { host: '127.0.0.1', port: 0 },
    operatorToken,
    services: {
      refreshCollectorUrl: world.collector.http.url,
      billingLedgerUrl: world.ledger.http.url,
      revisionStoreUrl: world.revisions.http.url,
      eventStreamUrl: unusedUrl,
      collectorTimeoutMs: 10_000,
      revisionStoreTimeoutMs: 10_000,
    },
    cursorKeys,
    trustedProxies: [],
    limits: patientLimits,
    streams: testStreams,
    reference: { canTry: false },
    livePages: patientLivePages,
    v1DeprecatedAtMs: Date.UTC(2026, 0, 1),
    captures: patientCaptures,
    deadlines: standardDeadlines,
  };
  return startTestService({ config, start: startGateway });
}

beforeAll(async () => {
  world = await openWorld();
  gateways = await Promise.all([start(), start()]);
});
afterAll(async () => {
  await Promise.all((gateways ?? []).map((gateway) => gateway.stop()));
  await world?.close();
});

function first() {
  const [gateway] = gateways;
  if (gateway === undefined) throw new Error('no gateway has started');
  return gateway;
}

async function operate(path: string, body: unknown = {}) {
  const answer = await callApi(first().url, {
    method: 'POST',
    path: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${operatorToken}` },
    body,
  });
  expect(answer.status).toBeLessThan(300);
  return JSON.parse(answer.text);
}

async function issueCredential() {
  const { account_id } = await operate('/accounts', { name: 'Trader' });
  const { project_id } = await operate(`/accounts/${account_id}/projects`);
  const given = { scopes: ['*'] };
  const { credential_id, secret } = await operate(`/projects/${project_id}/credentials`, given);
  return { key: secret as string, credentialId: credential_id as string };
}

test('a Credential that the operator issues opens the public API of every replica', async () => {
  const { key } = await issueCredential();
  const scope = newScope();
  saveInventory(world.revisions, scope);

  for (const { publicUrl } of gateways) {
    const body = { max_credits: 125 };
    const post = await callApi(publicUrl, {
      method: 'POST',
      path: refreshPathOf(scope),
      key,
      body,
    });
    const current = await callApi(publicUrl, { path: currentPathOf(scope), key });

    expect([post.status, current.status]).toEqual([202, 200]);
  }
});

test('a revoked Credential is closed on every replica within seconds', async () => {
  const { key, credentialId } = await issueCredential();
  const path = currentPathOf(newScope());
  const statuses = async () =>
    Promise.all(
      gateways.map(async ({ publicUrl }) => (await callApi(publicUrl, { path, key })).status),
    );
  expect(await statuses()).toEqual([404, 404]);

  await operate(`/credentials/${credentialId}/revoke`);

  await waitFor('both replicas refuse it', async () =>
    (await statuses()).every((status) => status === 401),
  );
});

test('health and metrics are on the private port, without a token, and not on the public one', async () => {
  const { url, publicUrl } = first();

  expect((await callApi(url, { path: '/livez' })).status).toBe(200);
  await waitFor(
    'the gateway is ready',
    async () => (await callApi(url, { path: '/readyz' })).status === 200,
  );
  for (const path of ['/livez', '/readyz', '/metrics', '/operator/v1/accounts']) {
    const answer = await callApi(publicUrl, {
      path,
      headers: { authorization: `Bearer ${operatorToken}` },
    });
    expect([answer.status, answer.json.error.code]).toEqual([404, 'route_not_found']);
  }
  expect((await callApi(url, { path: '/v2/account' })).status).toBeGreaterThanOrEqual(400);
});

test('what needs a token of the operator is closed without it', async () => {
  const answer = await callApi(first().url, { path: '/operator/v1/accounts' });

  expect(answer.status).toBe(401);
});

test('a stopping gateway is not ready any more', async () => {
  const leaving = await start();
  expect((await callApi(leaving.url, { path: '/livez' })).status).toBe(200);

  const stopped = leaving.stop();
  const readiness = await callApi(leaving.url, { path: '/readyz' }).then(
    ({ status }) => status,
    () => 'no longer listening',
  );
  await stopped;

  expect([503, 'no longer listening']).toContain(readiness);
});
