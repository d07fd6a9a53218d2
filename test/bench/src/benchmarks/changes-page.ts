import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { Agent, request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { type Customer, type Inventory, inventoryPath, openCustomer } from '../customer.ts';
import { closedLoop } from '../load.ts';
import { lessIsBetter } from '../row.ts';

const concurrency = 8;

/**
 * A page of changes of an inventory of which 1 % changed, against a page of Current with as many
 * assets; both paid, in turns.
 */
export const changesPage: Benchmark = {
  name: 'changes-page',
  run: ({ backends, quick }) =>
    withStack(backends, { name: 'changes-page' }, async (stack) => {
      const assets = quick ? 10_000 : 100_000;
      const count = assets / 100;
      const customer = await openCustomer(stack);
      const inventory = sizeInventory(assets, 2);
      const since = await save(customer, inventory);
      const { platformId, appId, contextId } = inventory;
      const url = `${stack.simulatorUrl}/control/inventories/${platformId}/${appId}/${contextId}`;
      const positions = Array.from({ length: count / 2 }, (_, at) => at * 199);
      for (const change of [
        { kind: 'remove', positions },
        { kind: 'add', count: count / 2 },
      ]) {
        await request(url, { method: 'POST', body: JSON.stringify(change) });
      }
      await save(customer, inventory);
      const base = `${stack.gatewayUrl}${inventoryPath(inventory)}`;
      const ofCurrent = openPages(`${base}/current?page_size=${count}`, customer.apiKey);
      const ofChanges = openPages(`${base}/changes?since=${since}`, customer.apiKey);
      const durationMs = quick ? 3_000 : 10_000;
      const p50 = async ({ read }: ReturnType<typeof openPages>) => {
        await closedLoop({ concurrency, durationMs: durationMs / 4, work: read });
        return (await closedLoop({ concurrency, durationMs, work: read })).p50Ms;
      };
      const yardstick = await p50(ofCurrent);
      const value = await p50(ofChanges);
      await Promise.all([ofCurrent.close(), ofChanges.close(), customer.close()]);
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

function openPages(url: string, key: string) {
  const agent = new Agent({ connections: concurrency, pipelining: 1 });
  const headers = { 'x-api-key': key };
  return {
    async read() {
      const { statusCode, body } = await request(url, { dispatcher: agent, headers });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${text}`);
    },
    close: () => agent.close(),
  };
}
