import type { Stack, StackService } from '@inventory/local-stack/stack';
import { pause } from '@inventory/runtime/wait';
import { type AccountBooks, readBooks } from '../account-books.ts';
import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { type CollectorWindow, measureIdleCpu, measureWindow } from '../collector-window.ts';
import { openCustomer } from '../customer.ts';
import { peakMemoryMb } from '../process-usage.ts';
import { type FinishedRefresh, startRefreshLoad } from '../refresh-load.ts';
import { moreIsBetter, type Row, reported } from '../row.ts';

const collectorCounts = [1, 2, 4] as const;
const collectorsMax = 4;
/** Bound by the platform's latency and not by this machine: few scans at once, small pages. */
const platformLatencyMs = 500;
const scansPerCollector = 2;
const pagesPerRefresh = 4;
const assetsPerPage = 50;
const perSecondByLatency = scansPerCollector / ((pagesPerRefresh * platformLatencyMs) / 1_000);
/** Credits for an inventory of one block. */
const refreshPrice = 1;
/** Twice what all collectors read at once, so that there is always a queue. */
const underWay = 2 * collectorsMax * scansPerCollector;
const idleMs = 5_000;
const settleMs = 6_000;
const churnStepMs = 6_000;

/**
 * (h) One, two and four collectors at the same queue, each with as many scans at once; then
 * collectors come, go and are killed under that load, and every refresh and credit is accounted for.
 */
export const scaling: Benchmark = {
  name: 'scaling',
  run: (context) => {
    const options = {
      name: 'scaling',
      platformLatencyMs,
      egressIdentities: 64,
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
  const before = await readBooks(stack, customer.accountId);
  const collectors = stack.services.filter(({ service }) => service === 'refresh-collector');
  const idleCpu = await measureIdleCpu(stack, idleMs);
  await Promise.all(collectors.slice(1).map((collector) => collector.stop()));
  const assets = pagesPerRefresh * assetsPerPage;
  const load = startRefreshLoad({ stack, customer, underWay, assets });
  const windows: CollectorWindow[] = [];
  for (const count of collectorCounts) {
    await Promise.all(collectors.slice(0, count).map((collector) => collector.start()));
    await pause(settleMs);
    const lengthMs = quick ? 8_000 : 20_000;
    const window = await measureWindow(stack, load, { collectors: count, lengthMs });
    say(`${count} collectors: ${window.perSecond.toFixed(2)} refreshes a second`);
    windows.push(window);
  }
  const replicas = replicaRows(idleCpu, stack);
  const calm = load.finished.length;
  await comeAndGo(collectors, say);
  await load.end();
  const after = await readBooks(stack, customer.accountId);
  await customer.close();
  const wrong = countWrong(load.finished, before, after);
  say(`${load.finished.length} refreshes are over, ${wrong} of them are not accounted for`);
  return [...windowRows(windows), ...churnRows(load.finished.slice(calm), wrong), ...replicas];
}

/** Collectors leave by SIGTERM, are killed, and come back, with the load as it was. */
async function comeAndGo(
  collectors: readonly StackService[],
  say: (sentence: string) => void,
): Promise<void> {
  const [first, second, third, fourth] = collectors;
  const steps: readonly (readonly [string, () => readonly (Promise<void> | undefined)[]])[] = [
    ['SIGTERM of one of four', () => [fourth?.stop()]],
    ['kill -9 of one of three, which is started again', () => [third?.kill('SIGKILL')]],
    ['one more, and SIGTERM of another', () => [fourth?.start(), second?.restart()]],
    ['kill -9 of two of four at once', () => [first?.kill('SIGKILL'), fourth?.stop('SIGKILL')]],
    ['back to four', () => collectors.map((collector) => collector.start())],
  ];
  for (const [sentence, step] of steps) {
    say(sentence);
    await Promise.all(step());
    await pause(churnStepMs);
  }
}

/** Refreshes that ended otherwise than completely, twice, with an open hold, or at another price. */
function countWrong(
  finished: readonly FinishedRefresh[],
  before: AccountBooks,
  after: AccountBooks,
): number {
  const failed = finished.filter(({ outcome }) => outcome !== 'complete_changed').length;
  const doubled = finished.length - new Set(finished.map(({ id }) => id)).size;
  const charged = before.totalCredits - after.totalCredits;
  return failed + doubled + after.openHolds + Math.abs(charged - refreshPrice * finished.length);
}

function windowRows(windows: readonly CollectorWindow[]): Row[] {
  const [one, ...more] = windows;
  const what = `refreshes of ${pagesPerRefresh} pages`;
  const latencyBound = moreIsBetter({
    name: `${what}, 1 collector, against what latency allows`,
    value: one?.perSecond ?? Number.NaN,
    unit: '/s',
    yardstick: perSecondByLatency,
  });
  const rates = more.map(({ collectors, perSecond }) =>
    moreIsBetter({
      name: `${what}, ${collectors} collectors, against ${collectors} times one`,
      value: perSecond,
      unit: '/s',
      yardstick: collectors * (one?.perSecond ?? Number.NaN),
      floor: 0.8,
    }),
  );
  const shares = more.map(({ collectors, leastShare }) =>
    moreIsBetter({
      name: `least share of ${collectors} collectors, against an equal one`,
      value: leastShare,
      unit: '',
      yardstick: 1 / collectors,
      floor: 0.5,
    }),
  );
  const cpu = cpuRows(windows.at(-1)?.cpuPerRefreshMs ?? new Map());
  return [latencyBound, ...rates, ...shares, ...cpu];
}

function cpuRows(perRefreshMs: ReadonlyMap<string, number>): Row[] {
  const row = (service: string, ms: number) =>
    reported(`CPU per refresh of ${pagesPerRefresh} pages, ${service}`, ms, 'ms');
  const totalMs = [...perRefreshMs.values()].reduce((sum, ms) => sum + ms, 0);
  return [...[...perRefreshMs].map(([service, ms]) => row(service, ms)), row('all five', totalMs)];
}

/** What a replica costs that has nothing to do, and the most memory one had under the load. */
function replicaRows(idleCpu: ReadonlyMap<string, number>, stack: Stack): Row[] {
  const memory = Map.groupBy(stack.services, ({ service }) => service);
  return [
    ...[...idleCpu].map(([service, share]) =>
      reported(`CPU of an idle ${service}`, 1_000 * share, 'ms/s'),
    ),
    ...[...memory].map(([service, replicas]) => {
      const peaks = replicas.map(({ pid }) => (pid === null ? 0 : peakMemoryMb(pid)));
      return reported(
        `most memory of a ${service} at ${collectorsMax} collectors`,
        Math.max(...peaks),
        'MB',
      );
    }),
  ];
}

function churnRows(churn: readonly FinishedRefresh[], wrong: number): Row[] {
  return [
    moreIsBetter({
      name: 'refreshes accounted for while collectors come, go and are killed',
      value: churn.length - wrong,
      unit: '',
      yardstick: churn.length,
      floor: 1,
    }),
    reported('longest of those', Math.max(...churn.map(({ tookMs }) => tookMs)) / 1_000, 's'),
  ];
}
