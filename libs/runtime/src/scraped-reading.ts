import { elapsedSince, monotonicNow } from './clock.ts';
import { startPeriodicJob } from './periodic-job.ts';
import type { ProcessContext } from './process-context.ts';

const everyMs = 10_000;
const unscrapedMs = 3_600_000;

/**
 * What a gauge reports of a store. A scrape gets what was read last, null before the first reading,
 * and has it read again where that is older than ten seconds: nothing is read for a page that nothing
 * requests, and no scrape waits for a store.
 */
export function startScrapedReading<Value>(
  /** Letters and spaces: it is a label of the metrics. */
  name: string,
  read: () => Promise<Value>,
  { lifetime, logger }: ProcessContext,
): () => Value | null {
  let last: Value | null = null;
  let startedMs = monotonicNow();
  const { wake } = startPeriodicJob({
    name,
    lifetime,
    logger,
    intervalMs: unscrapedMs,
    async runOnce() {
      startedMs = monotonicNow();
      last = await read();
    },
  });
  return () => {
    if (elapsedSince(startedMs) >= everyMs) wake();
    return last;
  };
}
