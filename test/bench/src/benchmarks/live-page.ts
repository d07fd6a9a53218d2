import type { Stack } from '@inventory/local-stack/stack';
import { request } from 'undici';
import type { Benchmark } from '../benchmark.ts';
import { type Inventory, inventoryPath, newInventory, v1Path } from '../customer.ts';
import { closedLoop } from '../load.ts';
import { moreIsBetter, type Row, reported } from '../row.ts';

const concurrency = 8;
const assets = 4_000;

/**
 * First pages of 2,000 assets, read live, against the same pages from the platform; and what each
 * costs every service. A chain that captures stages its page besides.
 */
export const livePage: Benchmark = {
  name: 'live-page',
  run: ({ withCustomer, periodMs }) =>
    withCustomer({}, async (stack, customer) => {
      const { services } = stack;
      const inventories = Array.from({ length: 100 }, () => newInventory(assets));
      const loadOf = (read: (inventory: Inventory) => Promise<unknown>) => {
        let reads = 0;
        const work = () => {
          reads += 1;
          return read(inventories[reads % inventories.length] ?? newInventory(assets));
        };
        return closedLoop({ concurrency, periodMs, work, services });
      };
      const platform = await loadOf((inventory) => readPlatform(stack, inventory));
      const ways = {
        'Live Page of 2,000 assets': (inventory: Inventory) =>
          customer.get(`${inventoryPath(inventory)}?capture=false`),
        'the same, captured': (inventory: Inventory) => customer.get(inventoryPath(inventory)),
        'the same in V1': (inventory: Inventory) => customer.get(v1Path(inventory)),
      };
      const rows: Row[] = [];
      for (const [name, read] of Object.entries(ways)) {
        const { perSecond: value, count, cpuMs } = await loadOf(read);
        const yardstick = platform.perSecond;
        rows.push(
          moreIsBetter({ name: `${name}, against the platform`, value, unit: '/s', yardstick }),
          ...[...cpuMs].map(([replica, ms]) =>
            reported(`${name}, CPU of ${replica}`, ms / count, 'ms'),
          ),
        );
      }
      return rows;
    }),
};

/** Its body is not parsed. */
async function readPlatform({ simulatorUrl }: Stack, inventory: Inventory): Promise<void> {
  const { platformId, appId, contextId } = inventory;
  const path = `/inventory/${platformId}/${appId}/${contextId}`;
  const query = '?l=english&count=2000&raw_asset_properties=1';
  const { body } = await request(`${simulatorUrl}${path}${query}`);
  await body.arrayBuffer();
}
