import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { waitFor } from '@inventory/testkit/wait-for';
import { type CollectorHarness, openCollectorHarness } from './collector-harness.ts';
import { readLive } from './live-reader.ts';
import { identitiesOf } from './quick-config.ts';

let harness: CollectorHarness;
/** Accepts connections and never answers. */
const blackHole = createServer(() => {});
/** Refuses connections: it is closed. */
const closed = createServer();
let silentProxy: string;
let refusingProxy: string;

beforeAll(async () => {
  harness = await openCollectorHarness();
  silentProxy = await proxyAt(blackHole);
  refusingProxy = await proxyAt(closed);
  await once(closed.close(), 'close');
});
afterAll(async () => {
  await harness.close();
  blackHole.close();
});

async function proxyAt(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return `http://dead:-@127.0.0.1:${address.port}`;
}

/** The black hole is waited for; the simulator answers earlier on any machine. */
const connectTimeoutMs = 10_000;

const scopeOf = (serial: number) => {
  const { platformId, appId, contextId } = sizeInventory(3, serial);
  return { platform_id: platformId, app_id: appId, context_id: contextId };
};
const startWith = (...egress: readonly string[]) =>
  harness.startCollector({
    platform: { egress, connectTimeoutMs },
    identities: { unreachableFirstMs: 1, unreachableMaxMs: 1 },
    pages: { triesMax: 1, retryMs: 1 },
  });

it('a black-holed egress costs no refresh and no live page where another one answers (upstream 6.4) [identity-silence]', async () => {
  const collector = await startWith(silentProxy, ...identitiesOf(harness.simulator, 1));

  const requests = await Promise.all(
    [1, 2, 3, 4].map((serial) => harness.request({ scope: scopeOf(serial) })),
  );
  const live = await readLive(collector, sizeInventory(3, 5));
  const views = await Promise.all(
    requests.map(({ refreshId }) => harness.completed(collector, refreshId)),
  );
  await collector.stop();

  expect(live.status).toBe(200);
  expect(views.map(({ record }) => record.outcome)).toEqual(Array(4).fill('complete_changed'));
});

it('requests that reach no platform end as upstream_unavailable and open no breaker (upstream 6.20)', async () => {
  const collector = await startWith(refusingProxy);

  // More inventories, each of an account of its own, than it takes to open a breaker.
  const serials = Array.from({ length: 9 }, (_, at) => 10 + at);
  const requests = await Promise.all(
    serials.map((serial) => harness.request({ scope: scopeOf(serial) })),
  );
  const views = await Promise.all(
    requests.map(({ refreshId }) => harness.completed(collector, refreshId)),
  );
  const { refreshId } = await harness.request({ scope: scopeOf(30) });
  const [decision] = await waitFor('the refresh is decided on', () => {
    const decisions = harness.decisions(refreshId);
    return decisions.length > 0 && decisions;
  });

  expect(views.map(({ record }) => record.outcome)).toEqual(Array(9).fill('upstream_unavailable'));
  expect(decision).toMatchObject({ decision: 'accepted' });
});
