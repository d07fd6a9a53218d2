import type { Stack } from '@inventory/local-stack/stack';
import { connectMongo } from '@inventory/mongo/connect';
import { pause } from '@inventory/runtime/wait';
import { silentLogger } from '../bench-bus.ts';
import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { openCustomer } from '../customer.ts';
import { type FinishedRefresh, type RefreshLoad, startRefreshLoad } from '../refresh-load.ts';
import { moreIsBetter, type Row } from '../row.ts';

const collectorCounts = [1, 2, 4] as const;
const collectorsMax = 4;
/** Bound by the platform's latency and not by this machine: few scans at once, small pages. */
const platformLatencyMs = 500;
const scansPerCollector = 2;
const pagesPerRefresh = 4;
const assetsPerPage = 50;
/** Twice what all collectors read at once, so that there is always a queue. */
const underWay = 2 * collectorsMax * scansPerCollector;
const settleMs = 6_000;

/** What a number of collectors did in a while. */
interface Window {
  readonly collectors: number;
  readonly perSecond: number;
  /** Of the collector that scanned least, of all refreshes; 0 when one scanned none. */
  readonly leastShare: number;
}

/**
 * (h) One, two and four collectors at the same queue, each with as many scans at once.
 */
export const scaling: Benchmark = {
  name: 'scaling',
  run: (context) => {
    const options = {
      ...{ name: 'scaling', platformLatencyMs, egressIdentities: 64 },
      replicas: { 'refresh-collector': collectorsMax },
      serviceEnvironment: {
        'refresh-collector': {
          SCANS_MAX: String(scansPerCollector),
          SCANS_PER_ACCOUNT_MAX: '1000',
          PLATFORM_PAGE_COUNT: String(assetsPerPage),
        },
      },
    };
    return withStack(context.backends, options, (stack) => measure(stack, context));
  },
};

async function measure(stack: Stack, { quick, say }: BenchContext): Promise<Row[]> {
  const customer = await openCustomer(stack);
  const collectors = stack.services.filter(({ service }) => service === 'refresh-collector');
  await Promise.all(collectors.slice(1).map((collector) => collector.stop()));
  const assets = pagesPerRefresh * assetsPerPage;
  const load = startRefreshLoad(customer, { underWay, assets });
  const windows: Window[] = [];
  for (const count of collectorCounts) {
    await Promise.all(collectors.slice(0, count).map((collector) => collector.start()));
    await pause(settleMs);
    const window = await measureWindow(stack, load, count, quick ? 5_000 : 20_000);
    say(`${count} collectors: ${window.perSecond.toFixed(2)} refreshes a second`);
    windows.push(window);
  }
  await load.end();
  await customer.close();
  return windowRows(windows);
}

async function measureWindow(
  stack: Stack,
  load: RefreshLoad,
  collectors: number,
  lengthMs: number,
): Promise<Window> {
  const startMs = performance.now();
  await pause(lengthMs);
  const endMs = performance.now();
  const within = load.finished.filter(({ atMs }) => atMs >= startMs && atMs < endMs);
  const scans = await scansByCollector(stack, within);
  return {
    collectors,
    perSecond: (within.length / (endMs - startMs)) * 1_000,
    leastShare: scans.length < collectors ? 0 : Math.min(...scans) / within.length,
  };
}

/** How many of these each collector ended, by its name in their scans. */
async function scansByCollector(
  stack: Stack,
  refreshes: readonly FinishedRefresh[],
): Promise<number[]> {
  const { db, close } = await connectMongo({
    uri: stack.mongodbUri,
    database: stack.databaseOf('refresh-collector'),
    service: 'bench',
    logger: silentLogger,
  });
  try {
    const found = await db
      .collection<{ _id: string; scan: { worker: string } }>('refreshes')
      .find({ _id: { $in: refreshes.map(({ id }) => id) } }, { projection: { 'scan.worker': 1 } })
      .toArray();
    return [...Map.groupBy(found, ({ scan }) => scan.worker).values()].map(({ length }) => length);
  } finally {
    await close();
  }
}

function windowRows([one, ...more]: readonly Window[]): Row[] {
  const what = `refreshes of ${pagesPerRefresh} pages`;
  return more.flatMap(({ collectors, perSecond, leastShare }) => [
    moreIsBetter({
      ...{ name: `${what}, ${collectors} collectors, against ${collectors} times one` },
      ...{ value: perSecond, unit: '/s', floor: 0.8 },
      yardstick: collectors * (one?.perSecond ?? Number.NaN),
    }),
    moreIsBetter({
      ...{ name: `least share of ${collectors} collectors, against an equal one` },
      ...{ value: leastShare, unit: '', yardstick: 1 / collectors, floor: 0.5 },
    }),
  ]);
}
