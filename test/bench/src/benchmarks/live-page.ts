import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { Agent, request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { type Inventory, inventoryPath, openCustomer, v1Path } from '../customer.ts';
import { closedLoop, type LoadResult } from '../load.ts';
import { moreIsBetter, type Row, reported } from '../row.ts';

const concurrency = 8;
/** Twice as many as clients: no request waits for an identity. */
const egressIdentities = 16;
const platformLatencyMs = 50;
const sizes = [100, 2_000];

/**
 * (f) Live pages, paid for, against asking the simulated platform for the same pages: what the way
 * through gateway, ledger and collector adds.
 */
export const livePage: Benchmark = {
  name: 'live-page',
  run: ({ backends, quick }) => {
    const durationMs = quick ? 4_000 : 15_000;
    const options = { name: 'live-page', platformLatencyMs, egressIdentities };
    return withStack(backends, options, async (stack) => {
      const rows: Row[] = [];
      for (const size of sizes) rows.push(...(await compare(stack, size, durationMs)));
      return rows;
    });
  },
};

async function compare(stack: Stack, size: number, durationMs: number): Promise<Row[]> {
  const inventory = sizeInventory(size);
  const direct = await directPages(stack, inventory, durationMs);
  const customer = await openCustomer(stack);
  const of = (path: string) => loaded(durationMs, () => customer.ask('GET', path));
  // V1 never captures: the difference is what it costs to save each inventory that was read.
  const live = await of(inventoryPath(inventory));
  const v1 = await of(v1Path(inventory));
  await customer.close();
  return [
    ...rowsOf(`Live Page of ${size} assets, saved as a revision`, live, direct),
    ...rowsOf(`V1 page of ${size} assets`, v1, direct),
  ];
}

function rowsOf(what: string, ours: LoadResult, direct: LoadResult): Row[] {
  return [
    moreIsBetter({
      name: `${what}, at ${concurrency} clients, against the platform itself`,
      value: ours.perSecond,
      unit: '/s',
      yardstick: direct.perSecond,
    }),
    reported(`${what}, p50`, ours.p50Ms, 'ms'),
    reported(`${what}, p50 added to the platform's own`, ours.p50Ms - direct.p50Ms, 'ms'),
    reported(`${what}, p99`, ours.p99Ms, 'ms'),
  ];
}

async function directPages(
  stack: Stack,
  { platformId, appId, contextId }: Inventory,
  durationMs: number,
): Promise<LoadResult> {
  const agent = new Agent({ connections: concurrency, pipelining: 1 });
  const path = `/inventory/${platformId}/${appId}/${contextId}`;
  const url = new URL(
    `${path}?l=english&count=2000&raw_asset_properties=1`,
    stack.simulatorUrl ?? '',
  );
  const load = await loaded(durationMs, async () => {
    const { body } = await request(url, { dispatcher: agent });
    return Buffer.from(await body.arrayBuffer());
  });
  await agent.close();
  return load;
}

async function loaded(durationMs: number, work: () => Promise<unknown>): Promise<LoadResult> {
  await closedLoop({ concurrency, durationMs: durationMs / 4, work });
  return closedLoop({ concurrency, durationMs, work });
}
