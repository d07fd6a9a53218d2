import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { type Customer, inventoryPath, openCustomer } from '../customer.ts';
import { neighbourRows, openNeighbour } from '../neighbour.ts';

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
      const slow = await openCustomer(stack);
      const neighbour = await openNeighbour(stack, readsPerSecond);
      await neighbour.load(durationMs / 4);
      const alone = await neighbour.load(durationMs);
      await setLatency(stack, platformLatencyMs);
      const stop = holdLivePages(slow);
      await neighbour.load(durationMs / 4);
      const beside = await neighbour.load(durationMs);
      await stop();
      await Promise.all([slow.close(), neighbour.close()]);
      return neighbourRows(`${livePages} live pages of another account`, beside, alone);
    });
  },
};

async function setLatency(stack: Stack, fixed_ms: number): Promise<void> {
  const url = new URL('/control/latency', stack.simulatorUrl ?? '');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ fixed_ms });
  const { body: answer } = await request(url, { method: 'PATCH', headers, body });
  await answer.dump();
}

/** So many at once, each requested again when it ends, and a second after it is refused. */
function holdLivePages(customer: Customer): () => Promise<void> {
  let isStopped = false;
  const workers = Array.from({ length: livePages }, async (_, serial) => {
    while (!isStopped) {
      const page = customer.get(inventoryPath(sizeInventory(10, serial + 1)));
      await page.catch(() => pause(retryMs));
    }
  });
  return async () => {
    isStopped = true;
    await Promise.all(workers);
  };
}
