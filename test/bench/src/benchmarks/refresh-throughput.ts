import type { Benchmark } from '../benchmark.ts';
import { newInventory } from '../customer.ts';
import { closedLoop } from '../load.ts';
import { reported } from '../row.ts';

const concurrency = 32;

/**
 * (b) One-page refreshes end to end: how many a second, and what each costs in CPU time.
 * docs/contributors/capacity.md computes sizes from it.
 */
export const refreshThroughput: Benchmark = {
  name: 'refresh-throughput',
  run: ({ withCustomer, periodMs }) =>
    withCustomer({}, async ({ services }, customer) => {
      const work = async () => customer.completed(await customer.refresh(newInventory(1)));
      // Once to warm up: much code runs for a refresh.
      await closedLoop({ concurrency, periodMs, work });
      const load = await closedLoop({ concurrency, periodMs, work, services });
      return [
        reported('one-page refreshes end to end, 32 at once', load.perSecond, '/s'),
        reported('one-page refresh end to end, p50', load.p50Ms, 'ms'),
        ...[...load.cpuMs].map(([name, ms]) =>
          reported(`CPU per one-page refresh, ${name}`, ms / load.count, 'ms'),
        ),
      ];
    }),
};
