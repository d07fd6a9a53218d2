import { pause } from '@inventory/runtime/wait';
import type { Benchmark } from '../benchmark.ts';
import { type Customer, newSandboxInventory, openSandbox } from '../customer.ts';
import { type Loads, mediansOf, neighbourRows, withNeighbour } from '../neighbour.ts';

/** Ten times its limit: the others are refused. */
const everyMs = 100;
const readsPerSecond = 20;
/** The most that a live p99 may grow by. */
const times = 1.2;
/** Periods by turns, in an order in which what becomes slower with time does so for both. */
const periods = ['alone', 'beside', 'beside', 'alone'] as const;
const rounds = 3;

/** (i) What a live customer reads while a sandbox requests refreshes beyond its limit. */
export const sandboxNeighbour: Benchmark = {
  name: 'sandbox-neighbour',
  run: ({ withStack, periodMs }) =>
    withStack({ hasSandbox: true }, (stack) =>
      withNeighbour(stack, async (neighbour) => {
        const load = { perSecond: readsPerSecond, periodMs };
        const sandbox = await openSandbox(stack);
        const loads = { alone: [] as Loads[], beside: [] as Loads[] };
        for (const period of Array.from({ length: rounds }, () => periods).flat()) {
          const stop = period === 'beside' ? flood(sandbox) : null;
          loads[period].push(await neighbour.load(load));
          await stop?.();
        }
        await sandbox.close();
        const [beside, alone] = [mediansOf(loads.beside), mediansOf(loads.alone)];
        return neighbourRows('the flood of a sandbox', beside, alone, times);
      }),
    ),
};

function flood(customer: Customer): () => Promise<void> {
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
  };
}
