import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { inventoryPath, openCustomer, v1Path } from '../customer.ts';
import { closedLoop } from '../load.ts';
import { moreIsBetter } from '../row.ts';

const clients = 100;
const egressIdentities = 20;
/**
 * The platform's own proportion, ten times as fast: it trips at 60 a minute, we ask 30. What is
 * measured is then not for how long the machine stood still.
 */
const pagesPerMinute = 30;
const simulator = {
  SIMULATOR_WINDOW_SECONDS: '6',
  SIMULATOR_SLOTS: '6',
  SIMULATOR_BLOCK_SECONDS: '6',
};
const allowedPerSecond = (egressIdentities * pagesPerMinute) / 60;

/**
 * (g) Live Page and V1 at 100 clients over 20 egress identities: the platform never throttles, and
 * the clients together get what the identities allow.
 */
export const liveRate: Benchmark = {
  name: 'live-rate',
  run: ({ backends, quick }) => {
    const durationMs = quick ? 10_000 : 60_000;
    const options = {
      name: 'live-rate',
      platformLatencyMs: 100,
      pagesPerMinute,
      egressIdentities,
      simulator,
    };
    return withStack(backends, options, async (stack) => {
      const customer = await openCustomer(stack);
      let serial = 0;
      const work = () => {
        serial += 1;
        const inventory = sizeInventory(200, serial);
        const path = serial % 2 === 0 ? inventoryPath(inventory) : v1Path(inventory);
        return customer.get(path);
      };
      // The bursts that a pause has saved are no rate.
      await closedLoop({ concurrency: clients, durationMs: 5_000, work });
      const load = await closedLoop({ concurrency: clients, durationMs, work });
      await customer.close();
      const { requests, throttled } = await countersOf(stack);
      return [
        moreIsBetter({
          name: `Live Page and V1 at ${clients} clients, against what ${egressIdentities} identities allow`,
          value: load.perSecond,
          unit: '/s',
          yardstick: allowedPerSecond,
          floor: 0.8,
        }),
        moreIsBetter({
          name: 'the same, share of requests that the platform did not throttle',
          value: 1 - throttled / requests,
          unit: '',
          yardstick: 1,
          floor: 1,
        }),
      ];
    });
  },
};

interface Counters {
  readonly requests: number;
  readonly throttled: number;
}

async function countersOf(stack: Stack): Promise<Counters> {
  const { body } = await request(new URL('/control/counters', stack.simulatorUrl ?? ''));
  const { total } = (await body.json()) as { total: Counters };
  return total;
}
