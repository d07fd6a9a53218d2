import { randomUUID } from 'node:crypto';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { openCustomer } from '../customer.ts';
import { type LoadResult, openLoop } from '../load.ts';
import { lessIsBetter, reported } from '../row.ts';
import { openDurableWrites } from '../yardsticks/durable-writes.ts';
import { makeTopics, openPingPong } from '../yardsticks/ping-pong.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const perSecond = 30;
/** What a hundred egress identities allow by default: what is admitted is read at that pace. */
const pagesPerMinute = 300;

/**
 * (a) POST to 202 at 30 a second, against the four Kafka hops it takes, with nothing at them. Once
 * with the pages read at the pace of a hundred identities, and once, without a floor, with every
 * refresh read, saved and settled at once beside it.
 */
export const admissionLatency: Benchmark = {
  name: 'admission-latency',
  async run(context) {
    const durationMs = context.quick ? 5_000 : 30_000;
    const hops = await fourHops(context, durationMs, '');
    const durableHops = await fourHops(context, durationMs, context.backends.mongodbUri);
    const posts = await postRefreshes(context, durationMs, pagesPerMinute);
    const amongScans = await postRefreshes(context, durationMs, undefined);
    return [
      lessIsBetter({
        name: 'POST refresh to 202 at 30/s, p50',
        value: posts.p50Ms,
        unit: 'ms',
        yardstick: hops.p50Ms,
        floor: 1 / 2.5,
      }),
      lessIsBetter({
        name: 'POST refresh to 202 at 30/s, p99',
        value: posts.p99Ms,
        unit: 'ms',
        yardstick: hops.p99Ms,
      }),
      lessIsBetter({
        name: 'the same with every refresh completed at once, p50',
        value: amongScans.p50Ms,
        unit: 'ms',
        yardstick: hops.p50Ms,
      }),
      reported('four bare Kafka hops, count', hops.count, ''),
      lessIsBetter({
        name: 'four bare Kafka hops with one bare durable insert each, p50',
        value: durableHops.p50Ms,
        unit: 'ms',
        yardstick: hops.p50Ms,
      }),
    ];
  },
};

function postRefreshes(
  { backends }: BenchContext,
  durationMs: number,
  pagesPerMinute: number | undefined,
): Promise<LoadResult> {
  // One identity stands for all of them, or each would read at that pace.
  const paced = pagesPerMinute === undefined ? {} : { pagesPerMinute, egressIdentities: 1 };
  const name = pagesPerMinute === undefined ? 'admission-among-scans' : 'admission-latency';
  return withStack(backends, { name, ...paced }, async (stack) => {
    const customer = await openCustomer(stack);
    let serial = 0;
    const work = () => {
      serial += 1;
      return customer.refresh(sizeInventory(1, serial));
    };
    await openLoop({ perSecond, durationMs: durationMs / 4, work });
    const result = await openLoop({ perSecond, durationMs, work });
    await customer.close();
    return result;
  });
}

/**
 * Two processes pass a record on, as gateway, collector, ledger and collector do; with a MongoDB
 * each of the four writes something down first, as they do.
 */
async function fourHops(
  { backends }: BenchContext,
  durationMs: number,
  mongodbUri: string,
): Promise<LoadResult> {
  const run = randomUUID().slice(0, 8);
  const topics = [1, 2, 3, 4].map((hop) => `bench.hop${hop}.${run}`);
  const [one = '', two = '', three = '', four = ''] = topics;
  await makeTopics(backends.kafkaBrokers, topics);
  const collector = await startYardstick('echo', [
    backends.kafkaBrokers,
    mongodbUri,
    one,
    two,
    three,
    four,
  ]);
  const ledger = await startYardstick('echo', [backends.kafkaBrokers, mongodbUri, two, three]);
  const caller = await openPingPong(
    backends.kafkaBrokers,
    one,
    four,
    await openDurableWrites(mongodbUri),
  );
  try {
    await openLoop({ perSecond, durationMs: durationMs / 4, work: caller.ping });
    return await openLoop({ perSecond, durationMs, work: caller.ping });
  } finally {
    await Promise.all([caller.stop(), collector.stop(), ledger.stop()]);
  }
}
