import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { pause } from '@inventory/runtime/wait';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { openCustomer } from '../customer.ts';
import { closedLoop } from '../load.ts';
import { cpuDuring } from '../process-usage.ts';
import { type Row, reported } from '../row.ts';

const concurrency = 32;
const idleMs = 5_000;

/**
 * (b) One-page refreshes end to end: how many a second, and what each costs in CPU time beside what
 * an idle replica uses. docs/contributors/capacity.md computes sizes from it.
 */
export const refreshThroughput: Benchmark = {
  name: 'refresh-throughput',
  run: ({ backends, quick }) =>
    withStack(backends, { name: 'refresh-throughput' }, async (stack) => {
      const customer = await openCustomer(stack);
      const [, idle] = await cpuDuring(stack, () => pause(idleMs));
      let serial = 0;
      const work = async () => {
        serial += 1;
        await customer.completed(await customer.refresh(sizeInventory(1, serial)));
      };
      await closedLoop({ concurrency, durationMs: 3_000, work });
      const durationMs = quick ? 5_000 : 20_000;
      const [load, used] = await cpuDuring(stack, () =>
        closedLoop({ concurrency, durationMs, work }),
      );
      await customer.close();
      const rows = (what: string, cpu: ReadonlyMap<string, number>, per: number, unit: string) =>
        [...cpu].map(([name, ms]): Row => reported(`${what}, ${name}`, ms / per, unit));
      return [
        reported('one-page refreshes end to end, 32 at once', load.perSecond, '/s'),
        reported('one-page refresh end to end, p50', load.p50Ms, 'ms'),
        ...rows('CPU per one-page refresh', used, load.count, 'ms'),
        ...rows('CPU of an idle replica', idle, idleMs / 1_000, 'ms/s'),
      ];
    }),
};
