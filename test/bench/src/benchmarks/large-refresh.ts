import type { Stack } from '@inventory/local-stack/stack';
import type { Benchmark } from '../benchmark.ts';
import { type Inventory, newInventory } from '../customer.ts';
import { cpuDuring, forgetPeakMemory, peakMemoryMb } from '../process-usage.ts';
import { lessIsBetter, type Row, reported } from '../row.ts';
import { changeInventory, readPage } from '../simulator.ts';

/** The goal. */
const memoryMaxMb = 256;
const memoryBound = ['refresh-collector', 'revision-store'];

/** Assets of one change of the simulated platform. */
const removedAtOnce = 10_000;
const addedAtOnce = 1_000;
const addedMax = 100_000;

/**
 * (e) The largest refresh a reservation pays for, against a loop that only fetches its pages; the CPU that
 * it took of each service, and the most memory each had resident for it. Then one that finds none of its
 * assets again: all of them are changes, and as many others as the simulated platform can add.
 */
export const largeRefresh: Benchmark = {
  name: 'large-refresh',
  run: ({ withCustomer, quick, say }) =>
    withCustomer({}, async (stack, customer) => {
      const assets = quick ? 20_000 : 250_000;
      const inventory = newInventory(assets);
      const loopMs = await fetchAll(stack, newInventory(assets));
      say(`the bare loop took ${(loopMs / 1_000).toFixed(1)} s`);
      const measured = async (what: string, fetchedMs: number): Promise<Row[]> => {
        for (const { pid } of stack.services) if (pid !== null) forgetPeakMemory(pid);
        const [record, used] = await cpuDuring(stack, async () =>
          customer.completed(await customer.refresh(inventory)),
        );
        const tookMs = Date.parse(record.completed_at) - Date.parse(record.requested_at);
        const cpu = [...used].map(([name, ms]) =>
          reported(`CPU for ${what}, ${name}`, ms / 1_000, 's'),
        );
        return [took(what, tookMs, fetchedMs), ...cpu, ...peakMemory(stack, what)];
      };
      const first = await measured(`${assets} assets`, loopMs);
      const others = Math.min(assets, addedMax);
      await replaceAll(stack, inventory, assets, others);
      const second = await measured(
        `${others} assets in place of ${assets} others`,
        (loopMs * others) / assets,
      );
      return [...first, ...second];
    }),
};

function took(what: string, tookMs: number, loopMs: number): Row {
  return lessIsBetter({
    name: `refresh of ${what}, against fetching its pages`,
    value: tookMs / 1_000,
    unit: 's',
    yardstick: loopMs / 1_000,
  });
}

function peakMemory({ services }: Stack, what: string): Row[] {
  return services.map(({ name: replica, service, pid }): Row => {
    const peakMb = pid === null ? Number.NaN : peakMemoryMb(pid);
    const name = `peak memory for ${what}, ${replica}`;
    return memoryBound.includes(service)
      ? lessIsBetter({ name, value: peakMb, unit: 'MB', yardstick: memoryMaxMb, floor: 0.8 })
      : reported(name, peakMb, 'MB');
  });
}

/** Removes every asset of an inventory and adds so many others. */
async function replaceAll(
  stack: Stack,
  inventory: Inventory,
  assets: number,
  others: number,
): Promise<void> {
  for (let left = assets; left > 0; left -= removedAtOnce) {
    const positions = Array.from({ length: Math.min(left, removedAtOnce) }, (_, at) => at);
    await changeInventory(stack, inventory, { kind: 'remove', positions });
  }
  for (let left = others; left > 0; left -= addedAtOnce) {
    await changeInventory(stack, inventory, { kind: 'add', count: Math.min(left, addedAtOnce) });
  }
}

/** Every page, one after another, its body read and dropped. */
async function fetchAll(stack: Stack, inventory: Inventory): Promise<number> {
  const startMs = performance.now();
  let page = await readPage(stack, inventory);
  while (page.more_items) page = await readPage(stack, inventory, page.last_assetid);
  return performance.now() - startMs;
}
