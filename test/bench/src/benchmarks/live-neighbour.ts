import { pause } from '@inventory/runtime/wait';
import type { Benchmark } from '../benchmark.ts';
import { type Customer, inventoryPath, newInventory } from '../customer.ts';
import { neighbourRows, withNeighbour } from '../neighbour.ts';
import { setLatency } from '../simulator.ts';

const livePages = 150;
const platformLatencyMs = 5_000;
const readsPerSecond = 20;
const retryMs = 1_000;

/** (h) What a customer reads beside another one whose live pages wait for a slow platform. */
export const liveNeighbour: Benchmark = {
  name: 'live-neighbour',
  run: ({ withCustomer, periodMs }) =>
    withCustomer({}, (stack, slow) =>
      withNeighbour(stack, async (neighbour) => {
        const load = { perSecond: readsPerSecond, periodMs };
        const alone = await neighbour.load(load);
        await setLatency(stack, platformLatencyMs);
        const stop = holdLivePages(slow);
        const beside = await neighbour.load(load);
        await setLatency(stack, 0);
        await stop();
        return neighbourRows(`${livePages} live pages of another account`, beside, alone);
      }),
    ),
};

/** So many at once, each requested again when it ends, and a second after it is refused. */
function holdLivePages(customer: Customer): () => Promise<void> {
  let isStopped = false;
  const workers = Array.from({ length: livePages }, async () => {
    const path = inventoryPath(newInventory(10));
    while (!isStopped) await customer.get(path).catch(() => pause(retryMs));
  });
  return async () => {
    isStopped = true;
    await Promise.all(workers);
  };
}
