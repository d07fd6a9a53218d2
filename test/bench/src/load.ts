import type { Stack } from '@inventory/local-stack/stack';
import { pause } from '@inventory/runtime/wait';
import { cpuDuring } from './process-usage.ts';
import type { Delays } from './row.ts';

/** What a load showed. Delays in milliseconds. */
export interface LoadResult extends Delays {
  readonly count: number;
  readonly perSecond: number;
}

/** Part of a period that a load runs before: code that runs for every request is compiled then. */
const warmUpPart = 1 / 4;
const pollMs = 100;

/**
 * As many at once as `concurrency`, each the next as soon as the last is done. What ends in the
 * period counts, and the CPU time of the services in it. It is longer where fewer have ended.
 */
export async function closedLoop(options: {
  readonly concurrency: number;
  readonly periodMs: number;
  readonly work: () => Promise<unknown>;
  readonly services?: Stack['services'];
}): Promise<LoadResult & { readonly cpuMs: ReadonlyMap<string, number> }> {
  const { concurrency, periodMs, work, services = [] } = options;
  const delays: number[] = [];
  let [isMeasured, isOver] = [false, false];
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const sentMs = performance.now();
      await work();
      if (isMeasured) delays.push(performance.now() - sentMs);
    }
  };
  const workers = Promise.all(Array.from({ length: concurrency }, worker));
  /** Ends before only when one fails. */
  const runFor = (ms: number) => Promise.race([workers, pause(ms)]);
  await runFor(periodMs * warmUpPart);
  isMeasured = true;
  const startMs = performance.now();
  const [, cpuMs] = await cpuDuring({ services }, async () => {
    await runFor(periodMs);
    while (delays.length < concurrency) await runFor(pollMs);
  });
  const tookMs = performance.now() - startMs;
  [isMeasured, isOver] = [false, true];
  await workers;
  return { ...summary(delays, tookMs), cpuMs };
}

/**
 * So many a second, whatever the responses do. Delays count from when a request was due, so that a
 * slow response is not hidden by what was not sent meanwhile.
 */
export async function openLoop(options: {
  readonly perSecond: number;
  readonly periodMs: number;
  readonly work: () => Promise<unknown>;
}): Promise<LoadResult> {
  const intervalMs = 1_000 / options.perSecond;
  const count = requestsOf(options);
  const before = Math.round(warmUpPart * (options.periodMs / intervalMs));
  const startMs = performance.now() + before * intervalMs;
  const delays = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const dueMs = startMs + (index - before) * intervalMs;
      await pause(Math.max(0, dueMs - performance.now()));
      await options.work();
      return performance.now() - dueMs;
    }),
  );
  return summary(delays.slice(before), performance.now() - startMs);
}

/** How many requests an open loop sends, those to warm up included. */
export function requestsOf(load: { readonly perSecond: number; readonly periodMs: number }) {
  return Math.floor((1 + warmUpPart) * load.perSecond * (load.periodMs / 1_000));
}

function summary(delays: readonly number[], tookMs: number): LoadResult {
  return {
    count: delays.length,
    perSecond: (delays.length / tookMs) * 1_000,
    ...percentiles(delays),
  };
}

/** Not a number without any delay. */
export function percentiles(delays: readonly number[]): Delays {
  const sorted = delays.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
