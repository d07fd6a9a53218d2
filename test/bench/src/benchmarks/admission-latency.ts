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
/** What one egress identity allows by default. */
const pagesPerMinute = 3;
/** Long enough for all that is admitted, whatever the pace at which it is read. */
const queueMs = 24 * 3_600_000;
const identitiesOfManyScans = 100;

/**
 * (a) POST to 202 at 30 a second, against four Kafka hops with nothing at them. The admission alone
 * is what has a floor: what is admitted is read at the pace of one identity. Beside it, without a
 * floor, the same on the same two cores while a hundred identities are read through, and while
 * every refresh is read, saved and settled at once.
 */
export const admissionLatency: Benchmark = {
  name: 'admission-latency',
  async run(context) {
    const durationMs = context.quick ? 5_000 : 30_000;
    const hops = await fourHops(context, durationMs, '');
    const durableHops = await fourHops(context, durationMs, context.backends.mongodbUri);
    const posts = await postRefreshes(context, durationMs, pagesPerMinute);
    const manyScans = pagesPerMinute * identitiesOfManyScans;
    const amongScans = await postRefreshes(context, durationMs, manyScans);
    const amongAll = await postRefreshes(context, durationMs, undefined);
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
        name: 'the same among the scans of a hundred identities, p50',
        value: amongScans.p50Ms,
        unit: 'ms',
        yardstick: hops.p50Ms,
      }),
      lessIsBetter({
        name: 'the same with every refresh completed at once, p50',
        value: amongAll.p50Ms,
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
  // One identity replaces all of them, or each would read at that pace.
  const paced = pagesPerMinute === undefined ? {} : { pagesPerMinute, egressIdentities: 1 };
  const name = `admission-among-${pagesPerMinute ?? 'all'}`;
  const serviceEnvironment = { 'refresh-collector': { QUEUE_DEADLINE_MS: String(queueMs) } };
  return withStack(backends, { name, ...paced, serviceEnvironment }, async (stack) => {
    let serial = 0;
    // Once to warm up, with an account for each: what is outstanding of one stays below its limit.
    const post = async (forMs: number) => {
      const customer = await openCustomer(stack);
      const work = () => {
        serial += 1;
        return customer.refresh(sizeInventory(1, serial));
      };
      const result = await openLoop({ perSecond, durationMs: forMs, work });
      await customer.close();
      return result;
    };
    await post(durationMs);
    return await post(durationMs);
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
  const { write, close } = await openDurableWrites(mongodbUri);
  const caller = await openPingPong(backends.kafkaBrokers, one, four, write);
  try {
    await openLoop({ perSecond, durationMs, work: caller.ping });
    return await openLoop({ perSecond, durationMs, work: caller.ping });
  } finally {
    await Promise.all([caller.stop(), collector.stop(), ledger.stop(), close()]);
  }
}
