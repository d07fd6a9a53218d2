import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { type Customer, inventoryPath, openCustomer } from '../customer.ts';
import { type LoadResult, openLoop } from '../load.ts';
import { delayRows, reported } from '../row.ts';

const livePages = 150;
const platformLatencyMs = 15_000;
const egressIdentities = 20;
const readsPerSecond = 20;
const retryMs = 1_000;

/** (h) What a customer reads beside another one whose live pages wait for a slow platform. */
export const liveNeighbour: Benchmark = {
  name: 'live-neighbour',
  run({ backends, quick }) {
    const durationMs = quick ? 6_000 : 20_000;
    return withStack(backends, { name: 'live-neighbour', egressIdentities }, async (stack) => {
      const [slow, neighbour] = [await openCustomer(stack), await openCustomer(stack)];
      const reads = await readsOf(neighbour);
      const load = async (ms: number): Promise<[string, LoadResult][]> =>
        await Promise.all(
          reads.map(async ([name, path]): Promise<[string, LoadResult]> => {
            const work = () => neighbour.ask('GET', path);
            return [name, await openLoop({ perSecond: readsPerSecond, durationMs: ms, work })];
          }),
        );
      await load(durationMs / 4);
      const alone = new Map(await load(durationMs));
      await setLatency(stack, platformLatencyMs);
      const busy = holdLivePages(slow);
      await load(durationMs / 4);
      const beside = await load(durationMs);
      const { read, refused } = await busy.stop();
      await Promise.all([slow.close(), neighbour.close()]);
      return [
        ...beside.flatMap(([name, value]) =>
          delayRows(`${name} beside ${livePages} live pages of another account, p99`, {
            value,
            yardstick: alone.get(name) ?? value,
            floor: 0.5,
          }),
        ),
        reported('live pages read meanwhile', read, 'pages'),
        reported('live pages refused meanwhile', refused, ''),
      ];
    });
  },
};

/** With a saved inventory and a completed refresh to read. */
async function readsOf(customer: Customer): Promise<readonly (readonly [string, string])[]> {
  const inventory = sizeInventory(10);
  const refreshId = await customer.refresh(inventory);
  await customer.completed(refreshId);
  const { body } = await customer.ask('GET', '/v2/account');
  const { data } = JSON.parse(body.toString()) as { data: { credential: { project_id: string } } };
  return [
    ['Status', `/v2/platform/inventory-refreshes/${refreshId}`],
    ['list', `/v2/projects/${data.credential.project_id}/inventory-refreshes`],
    ['account', '/v2/account'],
    ['Current of 10 assets', `${inventoryPath(inventory)}/current`],
  ];
}

async function setLatency(stack: Stack, fixed_ms: number): Promise<void> {
  const url = new URL('/control/latency', stack.simulatorUrl ?? '');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ fixed_ms });
  const { body: answer } = await request(url, { method: 'PATCH', headers, body });
  await answer.dump();
}

/** So many at once, each requested again when it ends, and a second after it is refused. */
function holdLivePages(customer: Customer) {
  const counts = { read: 0, refused: 0 };
  let isStopped = false;
  const workers = Array.from({ length: livePages }, async (_, serial) => {
    while (!isStopped) {
      const page = customer.ask('GET', inventoryPath(sizeInventory(10, serial + 1)));
      const isRead = await page.then(
        () => true,
        () => false,
      );
      counts[isRead ? 'read' : 'refused'] += 1;
      if (!isRead) await pause(retryMs);
    }
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(workers);
      return counts;
    },
  };
}
