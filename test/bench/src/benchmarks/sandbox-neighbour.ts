import type { Stack } from '@inventory/local-stack/stack';
import { pause } from '@inventory/runtime/wait';
import type { Benchmark } from '../benchmark.ts';
import { newSandboxInventory, openSandbox } from '../customer.ts';
import { neighbourRows, withNeighbour } from '../neighbour.ts';

const sandboxes = 5;
const requestsAtOnce = 4;
const readsPerSecond = 20;
/** So soon a refused request is repeated: of most the rate is refused. */
const retryMs = 100;
/** The most that a live p99 may grow by. */
const times = 1.2;

/** (i) What a live customer reads while sandboxes request refreshes as fast as their limits admit. */
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
  const workers = customers.flatMap((customer) =>
    Array.from({ length: requestsAtOnce }, async () => {
      while (!isStopped) await customer.refresh(newSandboxInventory(3)).catch(() => pause(retryMs));
    }),
  );
  return async () => {
    isStopped = true;
    await Promise.all(workers);
    await Promise.all(customers.map((customer) => customer.close()));
  };
}
