import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { type Inventory, inventoryPath, openCustomer, v1Path } from '../customer.ts';
import { closedLoop, type LoadResult } from '../load.ts';
import { cpuDuring } from '../process-usage.ts';
import { moreIsBetter, type Row, reported } from '../row.ts';

const concurrency = 8;
const assets = 4_000;
/** Nothing is measured before code that runs for every page is compiled. */
const warmUpPart = 4;

/**
 * First pages of 2,000 assets, read live, against the same pages from the platform; and what each
 * costs every service. A chain that captures stages its page besides.
 */
export const livePage: Benchmark = {
  name: 'live-page',
  run: ({ backends, quick }) =>
    withStack(backends, { name: 'live-page' }, async (stack) => {
      const durationMs = quick ? 5_000 : 20_000;
      const customer = await openCustomer(stack);
      const fromPlatform = (inventory: Inventory) => readPlatform(stack, inventory);
      await loadOf(durationMs / warmUpPart, fromPlatform);
      const platform = await loadOf(durationMs, fromPlatform);
      const ways = {
        'Live Page of 2,000 assets': (inventory: Inventory) =>
          customer.get(`${inventoryPath(inventory)}?capture=false`),
        'the same, captured': (inventory: Inventory) => customer.get(inventoryPath(inventory)),
        'the same in V1': (inventory: Inventory) => customer.get(v1Path(inventory)),
      };
      const rows: Row[] = [];
      for (const [name, read] of Object.entries(ways)) {
        await loadOf(durationMs / warmUpPart, read);
        const [load, used] = await cpuDuring(stack, () => loadOf(durationMs, read));
        const { perSecond: yardstick } = platform;
        const value = load.perSecond;
        rows.push(
          moreIsBetter({ name: `${name}, against the platform`, value, unit: '/s', yardstick }),
          ...[...used].map(([replica, ms]) =>
            reported(`${name}, CPU of ${replica}`, ms / load.count, 'ms'),
          ),
        );
      }
      await customer.close();
      return rows;
    }),
};

function loadOf(
  durationMs: number,
  read: (inventory: Inventory) => Promise<unknown>,
): Promise<LoadResult> {
  let serial = 0;
  const work = () => {
    serial = (serial % 100) + 1;
    return read(sizeInventory(assets, serial));
  };
  return closedLoop({ concurrency, durationMs, work });
}

async function readPlatform({ simulatorUrl }: Stack, inventory: Inventory): Promise<void> {
  const { platformId, appId, contextId } = inventory;
  const path = `/inventory/${platformId}/${appId}/${contextId}`;
  const query = '?l=english&count=2000&raw_asset_properties=1';
  const { body } = await request(`${simulatorUrl}${path}${query}`);
  await body.arrayBuffer();
}
