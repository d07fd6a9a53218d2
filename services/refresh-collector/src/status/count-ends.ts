import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { isServedFromSaved, type Refresh } from '../saga/refresh.domain.ts';
import type { QuarterHourStore } from './quarter-hour-store.ts';
import {
  noneSince,
  type QuarterHour,
  quarterHourOf,
  sumOf,
  withEnd,
} from './quarter-hours.domain.ts';

/** A crash loses what was counted in it: figures of a status page, which nothing is decided by. */
const saveEveryMs = 5_000;

/**
 * Counts the refreshes that end on this replica, and adds them to what all replicas counted, apart
 * from the steps of the refreshes. While none ends, one sum of zero is added in a quarter of an hour:
 * it was measured, and nothing ended.
 */
export function countEnds(
  { lifetime, logger, clock }: ServiceContext,
  store: QuarterHourStore,
): (refresh: Refresh) => void {
  let counted = new Map<number, QuarterHour>();
  let measuredMs = 0;

  async function save(): Promise<void> {
    const presentMs = quarterHourOf(clock.now());
    if (presentMs !== measuredMs) add(noneSince(presentMs));
    measuredMs = presentMs;
    const taken = counted;
    counted = new Map();
    for (const [startMs, quarter] of taken) {
      await store.add(quarter).catch((error: unknown) => {
        for (const left of taken.values()) add(left);
        throw error;
      });
      taken.delete(startMs);
    }
  }

  function add(quarter: QuarterHour): void {
    const { startMs } = quarter;
    counted.set(startMs, sumOf(counted.get(startMs) ?? noneSince(startMs), quarter));
  }

  // Closed after the job: what it leaves is saved.
  lifetime.defer('counted ends of refreshes', save);
  startPeriodicJob({
    lifetime,
    logger,
    name: 'ends of refreshes',
    intervalMs: saveEveryMs,
    runOnce: save,
  });
  return (refresh) => {
    const { outcome, completedAtMs, requestedAtMs } = refresh;
    if (refresh.phase !== 'completed' || outcome === null || completedAtMs === null) return;
    if (refresh.eventAppended || isServedFromSaved(refresh)) return;
    const waitMs = Math.max(0, completedAtMs - requestedAtMs);
    add(withEnd(noneSince(quarterHourOf(completedAtMs)), { outcome, waitMs }));
  };
}
