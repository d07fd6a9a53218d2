import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { openCustomer } from '../customer.ts';
import { cpuDuring, peakMemoryMb } from '../process-usage.ts';
import { lessIsBetter, type Row, reported } from '../row.ts';

const memoryMaxMb = 512;
const memoryBound = ['refresh-collector', 'revision-store'];

/**
 * (e) The largest refresh a reservation pays for, against a loop that only fetches its pages; the CPU
 * that it took of each service, and the most memory each had resident for it.
 */
export const largeRefresh: Benchmark = {
  name: 'large-refresh',
  run: ({ backends, quick, say }: BenchContext) =>
    withStack(backends, { name: 'large-refresh' }, async (stack) => {
      const customer = await openCustomer(stack);
      const assets = quick ? 20_000 : 250_000;
      const loopMs = await fetchAll(stack.simulatorUrl ?? '', assets);
      say(`the bare loop took ${(loopMs / 1_000).toFixed(1)} s`);
      const [record, used] = await cpuDuring(stack, async () =>
        customer.completed(await customer.refresh(sizeInventory(assets, 1))),
      );
      const tookMs = Date.parse(record.completed_at) - Date.parse(record.requested_at);
      await customer.close();
      const memory = stack.services.map(({ name: replica, service, pid }): Row => {
        const peakMb = pid === null ? Number.NaN : peakMemoryMb(pid);
        const name = `peak memory for ${assets} assets, ${replica}`;
        return memoryBound.includes(service)
          ? lessIsBetter({ name, value: peakMb, unit: 'MB', yardstick: memoryMaxMb, floor: 1 })
          : reported(name, peakMb, 'MB');
      });
      return [
        lessIsBetter({
          name: `refresh of ${assets} assets, against fetching its pages`,
          value: tookMs / 1_000,
          unit: 's',
          yardstick: loopMs / 1_000,
        }),
        ...[...used].map(([name, ms]) =>
          reported(`CPU for ${assets} assets, ${name}`, ms / 1_000, 's'),
        ),
        ...memory,
      ];
    }),
};

/** Every page, one after another, its body read and dropped. */
async function fetchAll(simulatorUrl: string, assets: number): Promise<number> {
  const { platformId, appId, contextId } = sizeInventory(assets, 2);
  const startMs = performance.now();
  let cursor = '';
  do {
    const { body } = await request(
      `${simulatorUrl}/inventory/${platformId}/${appId}/${contextId}?l=english&count=2000${cursor}`,
    );
    const page = (await body.json()) as { more_items?: number; last_assetid?: string };
    cursor = page.more_items ? `&start_assetid=${page.last_assetid}` : '';
  } while (cursor !== '');
  return performance.now() - startMs;
}
