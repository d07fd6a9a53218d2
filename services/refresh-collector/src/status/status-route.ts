import { refreshApi } from '@inventory/contracts/internal/refresh';
import { internalRoute } from '@inventory/http/internal-route';
import type { Clock } from '@inventory/runtime/clock';
import { whyClosed } from '../admission/admission.domain.ts';
import type { AdmissionStore } from '../admission/admission-store.ts';
import { breakerState } from '../egress/app-breaker.domain.ts';
import type { AppBreakerStore } from '../egress/app-breaker-store.ts';
import type { PlannerLease } from '../plan/planner-lease.ts';
import { expectedReadMs, type PublishedPlan } from '../plan/published-plan.domain.ts';
import type { QuarterHourStore } from './quarter-hour-store.ts';
import {
  quarterHourMs,
  quarterHourOf,
  quarterHoursShown,
  waitWithin,
} from './quarter-hours.domain.ts';

/** What the status of the service is read from. */
export interface StatusSources {
  readonly admission: AdmissionStore;
  readonly breakers: AppBreakerStore;
  readonly quarterHours: QuarterHourStore;
  readonly planner: PlannerLease;
  readonly clock: Clock;
}

/** What anyone may know of the service; nothing of a customer. */
export const statusRoute = internalRoute({
  ...refreshApi.readStatus,
  async handle({ admission, breakers, quarterHours, planner, clock }: StatusSources) {
    const nowMs = clock.now();
    const sinceMs = quarterHourOf(nowMs) - (quarterHoursShown - 1) * quarterHourMs;
    const [state, openings, quarters] = await Promise.all([
      admission.readAdmission(),
      breakers.readOpenings(nowMs),
      quarterHours.readSince(sinceMs),
    ]);
    const reason = whyClosed(state, false);
    const byStart = new Map(quarters.map((quarter) => [quarter.startMs, quarter]));
    return {
      atMs: nowMs,
      admission: { state: reason === null ? ('open' as const) : ('closed' as const), reason },
      expectedWaitSeconds: expectedWaitSeconds(planner.plan, nowMs),
      circuitBreakers: [...openings]
        .toSorted(([one], [other]) => one - other)
        .map(([appId, opening]) => ({
          appId,
          state: breakerState(opening, nowMs),
          openUntilMs: opening.openUntilMs,
        })),
      quarterHours: Array.from({ length: quarterHoursShown }, (_, at) => {
        const startMs = sinceMs + at * quarterHourMs;
        const quarter = byStart.get(startMs);
        return {
          start: startMs,
          measured: quarter !== undefined,
          completed: quarter?.completed ?? 0,
          failed: quarter?.failed ?? 0,
          waitP50Seconds: quarter ? waitWithin(quarter, 0.5) : null,
          waitP95Seconds: quarter ? waitWithin(quarter, 0.95) : null,
        };
      }),
    };
  },
});

/** Of a refresh of typical size, of an account without others; null without an estimate. */
function expectedWaitSeconds(plan: PublishedPlan, nowMs: number): number | null {
  const readMs = expectedReadMs(plan, '', plan.typicalPages, nowMs);
  return readMs === null ? null : Math.ceil((readMs - nowMs) / 1_000);
}
