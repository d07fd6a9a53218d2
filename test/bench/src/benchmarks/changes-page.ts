import type { Benchmark } from '../benchmark.ts';
import { type Customer, type Inventory, inventoryPath, newInventory } from '../customer.ts';
import { closedLoop } from '../load.ts';
import { openPages } from '../pages.ts';
import { lessIsBetter } from '../row.ts';
import { changeInventory } from '../simulator.ts';

const concurrency = 8;

/**
 * A page of changes of an inventory of which 1 % changed, against a page of Current with as many
 * assets; both paid, alternately.
 */
export const changesPage: Benchmark = {
  name: 'changes-page',
  run: ({ withCustomer, quick, periodMs }) =>
    withCustomer({}, async (stack, customer) => {
      const assets = quick ? 10_000 : 100_000;
      const count = assets / 100;
      const inventory = newInventory(assets);
      const since = await save(customer, inventory);
      const positions = Array.from({ length: count / 2 }, (_, at) => at * 199);
      await changeInventory(stack, inventory, { kind: 'remove', positions });
      await changeInventory(stack, inventory, { kind: 'add', count: count / 2 });
      await save(customer, inventory);
      const base = `${stack.gatewayUrl}${inventoryPath(inventory)}`;
      const p50 = async (path: string) => {
        const headers = { 'x-api-key': customer.apiKey };
        const pages = openPages(`${base}/${path}`, headers, concurrency);
        const { p50Ms } = await closedLoop({ concurrency, periodMs, work: pages.read });
        await pages.close();
        return p50Ms;
      };
      const yardstick = await p50(`current?page_size=${count}`);
      const value = await p50(`changes?since=${since}`);
      const name = `page of ${count} changes among ${assets} assets, p50, against Current`;
      return [lessIsBetter({ name, value, unit: 'ms', yardstick, floor: 1 / 1.2 })];
    }),
};

/** Refreshes the inventory; its revision. */
async function save(customer: Customer, inventory: Inventory): Promise<string> {
  await customer.completed(await customer.refresh(inventory));
  const page = await customer.get(`${inventoryPath(inventory)}/current?page_size=1`);
  return JSON.parse(page.toString()).data.revision_id;
}
