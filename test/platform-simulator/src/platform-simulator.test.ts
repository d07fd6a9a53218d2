import { waitFor } from '@inventory/testkit/wait-for';
import { fetch as fetchThrough, ProxyAgent } from 'undici';
import { type PlatformSimulator, startPlatformSimulator } from './platform-simulator.ts';
import { sizeInventory } from './scenarios.ts';

let platform: PlatformSimulator;
afterEach(() => platform.close());

const pathOf = (serial: number) => {
  const { platformId, appId, contextId } = sizeInventory(5, serial);
  return `${platform.url}/inventory/${platformId}/${appId}/${contextId}?count=10`;
};
const counters = async () =>
  JSON.parse(await (await fetch(`${platform.url}/control/counters`)).text());

test('the identity of a request is the user name at the proxy, and each is limited by itself', async () => {
  platform = await startPlatformSimulator();
  const read = async (identity: string, count: number) => {
    const dispatcher = new ProxyAgent({ uri: platform.proxyUrl(identity), proxyTunnel: true });
    for (let sent = 0; sent < count; sent += 1) {
      await (await fetchThrough(pathOf(1), { dispatcher })).text();
    }
    await dispatcher.close();
  };

  await read('north', 7);
  await read('south', 1);

  expect((await counters()).identities).toMatchObject({
    north: { requests: 7, throttled: 1 },
    south: { requests: 1, throttled: 0 },
  });
});

test('what was in flight at once is counted for each account', async () => {
  platform = await startPlatformSimulator({ latency: { fixedMs: 600_000 } });
  const leaving = new AbortController();
  const asked = [1, 1, 2].map((serial) => fetch(pathOf(serial), { signal: leaving.signal }));
  const left = Promise.allSettled(asked);
  const inFlight = async (count: number) => (await counters()).total.in_flight === count;

  await waitFor('all have come', () => inFlight(3));
  leaving.abort();
  await left;
  await waitFor('all have gone', () => inFlight(0));

  const { accounts } = await counters();
  expect(accounts[sizeInventory(5, 1).platformId]).toMatchObject({ in_flight_max: 2 });
  expect(accounts[sizeInventory(5, 2).platformId]).toMatchObject({ in_flight_max: 1 });
});
