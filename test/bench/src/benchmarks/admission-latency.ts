import { randomUUID } from 'node:crypto';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { newInventory, openCustomer } from '../customer.ts';
import { type LoadResult, openLoop } from '../load.ts';
import { lessIsBetter } from '../row.ts';
import { makeTopics, openPingPong } from '../yardsticks/ping-pong.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const perSecond = 30;
/** One identity at its default pace; what is queued has long enough for all that is admitted. */
const stackOptions = {
  egress: { pagesPerMinute: 3, identities: 1 },
  serviceEnvironment: { 'refresh-collector': { QUEUE_DEADLINE_MS: String(24 * 3_600_000) } },
};

/**
 * (a) POST to 202 at 30 a second, against four Kafka hops with nothing at them, and with one insert
 * before each, as the path has: the request against the rate limit, the refresh, the hold, the
 * decision. What is admitted is read at the pace of one identity: the admission alone is measured.
 * Each runs once to warm up.
 */
export const admissionLatency: Benchmark = {
  name: 'admission-latency',
  async run(context) {
    const hops = await fourHops(context, '');
    const durableHops = await fourHops(context, context.backends.mongodbUri);
    const posts = await postRefreshes(context);
    return [
      lessIsBetter({
        ...{ name: 'POST refresh to 202 at 30/s, p50', value: posts.p50Ms, unit: 'ms' },
        ...{ yardstick: hops.p50Ms, floor: 1 / 2.5 },
      }),
      lessIsBetter({
        ...{ name: 'the same, against hops with their inserts', value: posts.p50Ms, unit: 'ms' },
        yardstick: durableHops.p50Ms,
      }),
      lessIsBetter({
        ...{ name: 'POST refresh to 202 at 30/s, p99', value: posts.p99Ms, unit: 'ms' },
        yardstick: hops.p99Ms,
      }),
    ];
  },
};

function postRefreshes({ withStack, periodMs }: BenchContext): Promise<LoadResult> {
  return withStack(stackOptions, async (stack) => {
    // With an account for each: what is outstanding of one stays below its limit.
    const post = async () => {
      const customer = await openCustomer(stack);
      const work = () => customer.refresh(newInventory(1));
      const result = await openLoop({ perSecond, periodMs, work });
      await customer.close();
      return result;
    };
    await post();
    return await post();
  });
}

/** Two processes pass a record on, as gateway, collector, ledger and collector do. */
async function fourHops(
  { backends, periodMs }: BenchContext,
  mongodbUri: string,
): Promise<LoadResult> {
  const run = randomUUID().slice(0, 8);
  const topics = [1, 2, 3, 4].map((hop) => `bench.hop${hop}.${run}`);
  const [one = '', two = '', three = '', four = ''] = topics;
  const { kafkaBrokers } = backends;
  await makeTopics(kafkaBrokers, topics);
  const collector = await startYardstick('echo', [kafkaBrokers, mongodbUri, one, two, three, four]);
  const ledger = await startYardstick('echo', [kafkaBrokers, mongodbUri, two, three]);
  const caller = await openPingPong(kafkaBrokers, one, four, mongodbUri);
  try {
    await openLoop({ perSecond, periodMs, work: caller.ping });
    return await openLoop({ perSecond, periodMs, work: caller.ping });
  } finally {
    await Promise.all([caller.stop(), collector.stop(), ledger.stop()]);
  }
}
