import type { Stack } from '@inventory/local-stack/stack';
import { connectMongo } from '@inventory/mongo/connect';
import { pause } from '@inventory/runtime/wait';
import { silentLogger } from '../bench-bus.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { type Customer, newInventory, whileRefused } from '../customer.ts';
import { moreIsBetter, type Row } from '../row.ts';

const collectorCounts = [1, 2, 4];
const quickCounts = [1, 4];
const collectorsMax = 4;
const scansPerCollector = 2;
const pagesPerRefresh = 4;
const assetsPerPage = 50;
/** Twice what all collectors read at once, so that there is always a queue. */
const underWay = 2 * collectorsMax * scansPerCollector;
const settleMs = 5_000;
/** Each refresh takes two seconds. */
const periodMsMin = 5_000;

/** Bound by the platform's latency and not by this machine: few scans at once, small pages. */
const stackOptions = {
  egress: { identities: 64 },
  simulator: { SIMULATOR_LATENCY_MS: '500' },
  replicas: { 'refresh-collector': collectorsMax },
  serviceEnvironment: {
    'refresh-collector': {
      SCANS_MAX: String(scansPerCollector),
      SCANS_PER_ACCOUNT_MAX: '1000',
      PLATFORM_PAGE_COUNT: String(assetsPerPage),
    },
  },
};

interface FinishedRefresh {
  readonly id: string;
  readonly atMs: number;
}

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
  run: (context) =>
    context.withCustomer(stackOptions, (stack, customer) => measure(context, stack, customer)),
};

async function measure(
  { quick, periodMs, say }: BenchContext,
  stack: Stack,
  customer: Customer,
): Promise<Row[]> {
  const collectors = stack.services.filter(({ service }) => service === 'refresh-collector');
  await Promise.all(collectors.slice(1).map((collector) => collector.stop()));
  const { finished, failed } = keepUnderWay(customer);
  const measured = async () => {
    const windows: Window[] = [];
    for (const count of quick ? quickCounts : collectorCounts) {
      await Promise.all(collectors.slice(0, count).map((collector) => collector.start()));
      await pause(settleMs);
      const lengthMs = Math.max(periodMsMin, periodMs);
      const window = await measureWindow(stack, finished, count, lengthMs);
      say(`${count} collectors: ${window.perSecond.toFixed(2)} refreshes a second`);
      windows.push(window);
    }
    return windowRows(windows);
  };
  return Promise.race([measured(), failed]);
}

/** As many refreshes at once until the customer is closed, each of another inventory. */
function keepUnderWay(customer: Customer) {
  const finished: FinishedRefresh[] = [];
  const worker = async (): Promise<never> => {
    for (;;) {
      const inventory = newInventory(pagesPerRefresh * assetsPerPage);
      const id = await whileRefused(() => customer.refresh(inventory));
      await whileRefused(() => customer.completed(id));
      finished.push({ id, atMs: performance.now() });
    }
  };
  const failed = Promise.race(Array.from({ length: underWay }, worker));
  // They all fail when the customer is closed.
  failed.catch(() => {});
  return { finished, failed };
}

async function measureWindow(
  stack: Stack,
  finished: readonly FinishedRefresh[],
  collectors: number,
  lengthMs: number,
): Promise<Window> {
  const startMs = performance.now();
  await pause(lengthMs);
  const endMs = performance.now();
  const within = finished.filter(({ atMs }) => atMs >= startMs && atMs < endMs);
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
