import type { Stack } from '@inventory/local-stack/stack';
import { pause } from '@inventory/runtime/wait';
import type { Benchmark } from '../benchmark.ts';
import { newSandboxInventory, openSandbox } from '../customer.ts';
import { neighbourRows, withNeighbour } from '../neighbour.ts';

/** Ten times its limit: the others are refused. */
const everyMs = 100;
const readsPerSecond = 20;
/** The most that a live p99 may grow by. */
const times = 1.2;

/** (i) What a live customer reads while a sandbox requests refreshes beyond its limit. */
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
        return neighbourRows('the flood of a sandbox', beside, alone, times);
      }),
    ),
};

async function flood(stack: Stack): Promise<() => Promise<void>> {
  const customer = await openSandbox(stack);
  let isStopped = false;
  async function requestRefreshes(): Promise<void> {
    while (!isStopped) {
      await customer.refresh(newSandboxInventory(3)).catch(() => null);
      await pause(everyMs);
    }
  }
  const requested = requestRefreshes();
  return async () => {
    isStopped = true;
    await requested;
    await customer.close();
  };
}
