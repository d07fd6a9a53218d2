import { Server } from 'node:http';
import { findFreePort } from '@inventory/backends/free-port';
import { systemClock } from '@inventory/runtime/clock';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { callApi } from './support/api-call.ts';
import { type GatewayWorld, openWorld } from './support/test-gateway.ts';
import { testOperatorToken } from './support/test-operators.ts';
import { startWholeGateway, type WholeGateway } from './support/whole-gateway.ts';

let world: GatewayWorld;
let gateways: WholeGateway[];

beforeAll(async () => {
  world = await openWorld();
  gateways = await Promise.all([
    startWholeGateway(world),
    // Its clock does not move: what it has cached stays until a change is announced to it.
    startWholeGateway(world, createTestClock(systemClock.now())),
  ]);
});
afterAll(() => world?.close());

function first() {
  const [gateway] = gateways;
  if (gateway === undefined) throw new Error('no gateway has started');
  return gateway;
}

test('health and metrics are on the private port, without a token, and not on the public one', async () => {
  const { url, publicUrl } = first();

  expect((await callApi(url, { path: '/livez' })).status).toBe(200);
  await waitFor(
    'the gateway is ready',
    async () => (await callApi(url, { path: '/readyz' })).status === 200,
  );
  for (const path of ['/livez', '/readyz', '/metrics', '/operator/v1/accounts']) {
    const response = await callApi(publicUrl, {
      path,
      headers: { authorization: `Bearer ${testOperatorToken}` },
    });
    expect([response.status, response.json.error.code]).toEqual([404, 'route_not_found']);
  }
  expect((await callApi(url, { path: '/v2/account' })).status).toBeGreaterThanOrEqual(400);
});

test('a gateway is ready only once its public port listens', async () => {
  const [port, publicPort] = [await findFreePort(), await findFreePort()];
  const listen = Server.prototype.listen;
  const before: unknown[] = [];
  // The last moment before the public port listens.
  const listening = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (
    this: Server,
    ...given: unknown[]
  ) {
    const go = () => void Reflect.apply(listen, this, given);
    if (given[0] !== publicPort) go();
    else {
      void callApi(`http://127.0.0.1:${port}`, { path: '/readyz' })
        .then(({ status, text }) => before.push(status, JSON.parse(text)))
        .then(go);
    }
    return this;
  });

  const gateway = await startWholeGateway(world, systemClock, { port, publicPort });

  listening.mockRestore();
  const problems = ['the public port does not listen'];
  expect(before).toEqual([503, { status: 'failing', problems }]);
  await waitFor(
    'it is ready once it listens',
    async () => (await callApi(gateway.url, { path: '/readyz' })).status === 200,
  );
  expect(gateway.publicUrl).toBe(`http://127.0.0.1:${publicPort}`);
});

test('what needs a token of the operator is closed without it', async () => {
  const response = await callApi(first().operatorUrl, { path: '/operator/v1/accounts' });

  expect(response.status).toBe(401);
});

test('the operator API is on a port of its own: the private port has no part of it, nor it of that', async () => {
  const { url, operatorUrl } = first();
  const headers = { authorization: `Bearer ${testOperatorToken}` };
  const statusAt = async (at: string, path: string) =>
    (await callApi(at, { path, headers })).status;

  expect(await statusAt(operatorUrl, '/operator/v1/accounts')).toBe(200);
  expect(await statusAt(url, '/operator/v1/accounts')).toBe(404);
  for (const path of ['/livez', '/metrics', '/internal/projects/x/event-access']) {
    expect(await statusAt(operatorUrl, path)).toBe(404);
  }
});

test('a stopping gateway is not ready any more', async () => {
  const leaving = await startWholeGateway(world);
  expect((await callApi(leaving.url, { path: '/livez' })).status).toBe(200);

  const stopped = leaving.stop();
  const readiness = await callApi(leaving.url, { path: '/readyz' }).then(
    ({ status }) => status,
    () => 'no longer listening',
  );
  await stopped;

  expect([503, 'no longer listening']).toContain(readiness);
});
