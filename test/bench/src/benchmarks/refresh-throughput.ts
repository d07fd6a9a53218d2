import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { openCustomer } from '../customer.ts';
import { closedLoop } from '../load.ts';
import { cpuMs } from '../process-usage.ts';
import { type Row, reported } from '../row.ts';

const concurrency = 32;

/** (b) One-page refreshes end to end: how many a second, and what each costs in CPU time. */
export const refreshThroughput: Benchmark = {
  name: 'refresh-throughput',
  run: ({ backends, quick }) =>
    withStack(backends, { name: 'refresh-throughput' }, async (stack) => {
      const customer = await openCustomer(stack);
      let serial = 0;
      const work = async () => {
        serial += 1;
        await customer.completed(await customer.refresh(sizeInventory(1, serial)));
      };
      await closedLoop({ concurrency, durationMs: 3_000, work });
      const before = cpuOf(stack);
      const load = await closedLoop({ concurrency, durationMs: quick ? 5_000 : 20_000, work });
      const after = cpuOf(stack);
      await customer.close();
      const perRefresh = [...after].map(([name, ms]): Row => {
        const used = ms - (before.get(name) ?? 0);
        return reported(`CPU per one-page refresh, ${name}`, used / load.count, 'ms');
      });
      const total = perRefresh.reduce((sum, row) => sum + row.value, 0);
      return [
        reported('one-page refreshes end to end, 32 at once', load.perSecond, '/s'),
        reported('one-page refresh end to end, p50', load.p50Ms, 'ms'),
        ...perRefresh,
        reported('CPU per one-page refresh, five services', total, 'ms'),
      ];
    }),
};

function cpuOf(stack: Stack): Map<string, number> {
  return new Map(
    stack.services.map(({ name, pid }) => [name, pid === null ? Number.NaN : cpuMs(pid)]),
  );
}
