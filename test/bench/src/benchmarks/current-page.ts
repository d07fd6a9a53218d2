import { randomUUID } from 'node:crypto';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { Agent, request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { inventoryPath, openCustomer } from '../customer.ts';
import { closedLoop, type LoadResult } from '../load.ts';
import { moreIsBetter } from '../row.ts';
import { makeTopics } from '../yardsticks/ping-pong.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const concurrency = 16;

interface PageLoad extends LoadResult {
  readonly bytes: number;
}

/**
 * (c) Pages of 2,000 assets, paid for, against the least such a page costs: one Kafka round trip,
 * one durable insert, one proxied fetch of the same bytes.
 */
export const currentPage: Benchmark = {
  name: 'current-page',
  async run(context) {
    const durationMs = context.quick ? 4_000 : 15_000;
    const ours = await currentPages(context, durationMs);
    const minimal = await minimalPages(context, ours.bytes, durationMs);
    return [
      moreIsBetter({
        name: 'Current, 2,000-asset page, against a minimal paid server',
        value: ours.perSecond,
        unit: '/s',
        yardstick: minimal.perSecond,
        floor: 0.5,
      }),
    ];
  },
};

function currentPages({ backends }: BenchContext, durationMs: number): Promise<PageLoad> {
  return withStack(backends, { name: 'current-page' }, async (stack) => {
    const customer = await openCustomer(stack);
    const inventory = sizeInventory(2_000);
    await customer.completed(await customer.refresh(inventory));
    const path = `${inventoryPath(inventory)}/current`;
    const body = await customer.get(path);
    const load = await loaded(durationMs, () => customer.get(path));
    await customer.close();
    return { ...load, bytes: body.length };
  });
}

async function minimalPages(
  { backends }: BenchContext,
  bytes: number,
  durationMs: number,
): Promise<LoadResult> {
  const { kafkaBrokers, mongodbUri } = backends;
  const run = randomUUID().slice(0, 8);
  const [there, back] = [`bench.there.${run}`, `bench.back.${run}`];
  await makeTopics(kafkaBrokers, [there, back]);
  const echo = await startYardstick('echo', [kafkaBrokers, there, back]);
  const source = await startYardstick('page-source', [String(bytes)]);
  const database = `bench_minimal_${run}`;
  const server = await startYardstick('minimal-server', [
    ...[kafkaBrokers, there, back, mongodbUri, database, source.ready],
  ]);
  try {
    return await pagesFrom(server.ready, durationMs);
  } finally {
    await Promise.all([server.stop(), source.stop(), echo.stop()]);
  }
}

async function pagesFrom(url: string, durationMs: number): Promise<LoadResult> {
  const agent = new Agent({ connections: concurrency, pipelining: 1 });
  const work = async () => {
    const { body } = await request(url, { dispatcher: agent });
    return Buffer.from(await body.arrayBuffer());
  };
  const load = await loaded(durationMs, work);
  await agent.close();
  return load;
}

async function loaded(durationMs: number, work: () => Promise<unknown>): Promise<LoadResult> {
  await closedLoop({ concurrency, durationMs: durationMs / 4, work });
  return closedLoop({ concurrency, durationMs, work });
}
