import type { Stack } from '@inventory/local-stack/stack';
import { pause } from '@inventory/runtime/wait';
import type { Benchmark } from '../benchmark.ts';
import { newSandboxInventory, openSandbox } from '../customer.ts';
import { neighbourRows, withNeighbour } from '../neighbour.ts';

const sandboxes = 5;
/** Each twice its limit: half of them are refused. */
const everyMs = 500;
const readsPerSecond = 20;
/** The most that a live p99 may grow by. */
const times = 1.2;

/** (i) What a live customer reads while sandboxes request refreshes beyond their limits. */
export const sandboxNeighbour: Benchmark = {
  name: 'sandbox-neighbour',
  run: ({ withStack, periodMs }) =>
    withStack({ hasSandbox: true }, (stack) =>
      withNeighbour(stack, async (neighbour) => {
        const load = { perSecond: readsPerSecond, periodMs };
        const alone = await neighbour.load(load);
        const stop = await flood(stack);
        const beside = await neighbour.load(load);
        await stop();
        return neighbourRows(`a flood of ${sandboxes} sandboxes`, beside, alone, times);
      }),
    ),
};

async function flood(stack: Stack): Promise<() => Promise<void>> {
  const customers = await Promise.all(Array.from({ length: sandboxes }, () => openSandbox(stack)));
  let isStopped = false;
  const workers = customers.map(async (customer) => {
    while (!isStopped) {
      await customer.refresh(newSandboxInventory(3)).catch(() => null);
      await pause(everyMs);
    }
  });
  return async () => {
    isStopped = true;
    await Promise.all(workers);
    await Promise.all(customers.map((customer) => customer.close()));
  };
}
