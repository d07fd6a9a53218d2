import type { Delays } from './row.ts';

/** What a load showed. Delays in milliseconds. */
export interface LoadResult extends Delays {
  readonly count: number;
  readonly perSecond: number;
}

/** As many at once as `concurrency`, each the next as soon as the last is done. */
export async function closedLoop(options: {
  readonly concurrency: number;
  readonly durationMs: number;
  readonly work: () => Promise<unknown>;
}): Promise<LoadResult> {
  const delays: number[] = [];
  const startMs = performance.now();
  const worker = async (): Promise<void> => {
    while (performance.now() - startMs < options.durationMs) {
      const sentMs = performance.now();
      await options.work();
      delays.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return summary(delays, performance.now() - startMs);
}

/**
 * So many a second, whatever the answers do. Delays count from when a request was due, so that a
 * slow answer is not hidden by what was not sent meanwhile.
 */
export async function openLoop(options: {
  readonly perSecond: number;
  readonly durationMs: number;
  readonly work: () => Promise<unknown>;
}): Promise<LoadResult> {
  const intervalMs = 1_000 / options.perSecond;
  const total = Math.floor(options.durationMs / intervalMs);
  const startMs = performance.now();
  const delays = await Promise.all(
    Array.from({ length: total }, async (_, index) => {
      const dueMs = startMs + index * intervalMs;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
      await options.work();
      return performance.now() - dueMs;
    }),
  );
  return summary(delays, performance.now() - startMs);
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
