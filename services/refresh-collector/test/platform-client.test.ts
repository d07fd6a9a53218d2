import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from '@inventory/platform-simulator/platform-simulator';
import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import { systemClock } from '@inventory/runtime/clock';
import { only } from '@inventory/testkit/only';
import type { EgressConfig } from '../src/egress/egress-config.ts';
import { openEgressIdentities } from '../src/egress/egress-identities.ts';
import { createPlatformClient } from '../src/egress/platform-client.ts';
import { classifyResponse } from '../src/platform/platform-response.domain.ts';

const farMs = 600_000;
/** Of connections that are never made. */
const connectTimeoutMs = 50;
let simulator: PlatformSimulator;
/** Accepts connections and never answers. */
const blackHole = createServer(() => {});
/** Responds to CONNECT with 502. */
const refusingProxy = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'));
});

const portOf = (server: Server): number => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address.port;
};

beforeAll(async () => {
  simulator = await startPlatformSimulator({ latency: { slowMs: farMs } });
  for (const server of [blackHole, refusingProxy]) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
});
afterAll(async () => {
  await simulator.close();
  for (const server of [blackHole, refusingProxy]) server.close();
});

const platformAt = (baseUrl: string) =>
  createPlatformClient(
    only<EgressConfig>({
      platform: only({ baseUrl, timeoutMs: farMs, bodyBytesMax: 1024 * 1024, userAgent: 'test' }),
      identities: only({ cooldownMaxMs: farMs }),
    }),
    systemClock,
  );

function pageOf(scenario: string) {
  const { platformId, appId, contextId } = scenarioInventory(scenario, 900);
  const scope = { platform_id: platformId, app_id: appId, context_id: contextId };
  return { scope, language: 'english', count: 2_000, startAssetId: null };
}

function openIdentity(name: string, timeoutMs: number) {
  const [identity] = openEgressIdentities([name], timeoutMs);
  if (!identity) throw new Error('no identity');
  return identity;
}

test('a page that exceeds its timeout is a failure, and the same identity reads the next one', async () => {
  const identity = openIdentity(simulator.proxyUrl('north'), farMs);
  const client = platformAt(simulator.url);

  const late = await client.fetchPage(identity, pageOf('slow'), 50);
  const inTime = await client.fetchPage(identity, pageOf('one-item'), farMs);
  await identity.dispatcher.destroy();

  expect(classifyResponse(late)).toEqual({ kind: 'fault', reason: 'timeout', eresult: null });
  expect(classifyResponse(inTime)).toMatchObject({ kind: 'page', page: { more: false } });
});

test('a connection that breaks within the answer is a failure of the platform, not of the egress', async () => {
  const identity = openIdentity(simulator.proxyUrl('south'), farMs);

  const cut = await platformAt(simulator.url).fetchPage(
    identity,
    pageOf('cut-connection-once'),
    farMs,
  );
  await identity.dispatcher.destroy();

  expect(classifyResponse(cut)).toMatchObject({ kind: 'fault', reason: 'connection_failed' });
});

/** Of a port that nothing listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

test.each<[string, () => Promise<{ name: string; baseUrl?: string }>]>([
  [
    'a platform that refuses connections',
    async () => ({
      name: 'direct',
      baseUrl: `http://127.0.0.1:${await closedPort()}`,
    }),
  ],
  [
    'a platform that never completes its handshake',
    async () => ({
      name: 'direct',
      baseUrl: `https://127.0.0.1:${portOf(blackHole)}`,
    }),
  ],
  ['an unknown host', async () => ({ name: 'direct', baseUrl: 'http://platform.invalid' })],
  [
    'a proxy that refuses connections',
    async () => ({
      name: `http://user:-@127.0.0.1:${await closedPort()}`,
    }),
  ],
  [
    'a proxy that never answers',
    async () => ({
      name: `http://user:-@127.0.0.1:${portOf(blackHole)}`,
    }),
  ],
  [
    'a proxy that never completes its handshake',
    async () => ({
      name: `https://user:-@127.0.0.1:${portOf(blackHole)}`,
    }),
  ],
  [
    'a proxy that refuses the tunnel',
    async () => ({
      name: `http://user:-@127.0.0.1:${portOf(refusingProxy)}`,
    }),
  ],
])('%s makes the egress unreachable, within its connect timeout', async (_what, open) => {
  const { name, baseUrl = simulator.url } = await open();
  const identity = openIdentity(name, connectTimeoutMs);

  const raw = await platformAt(baseUrl).fetchPage(identity, pageOf('one-item'), farMs);
  await identity.dispatcher.destroy();

  expect(classifyResponse(raw)).toEqual({ kind: 'unreachable' });
});
