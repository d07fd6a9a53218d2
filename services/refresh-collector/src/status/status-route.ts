import { refreshApi } from '@inventory/contracts/internal/refresh';
import { internalRoute } from '@inventory/http/internal-route';
import { type Clock, isoTime } from '@inventory/runtime/clock';
import { type AdmissionState, closedReason } from '../admission/admission.domain.ts';
import { type AppOpening, breakerState } from '../egress/app-breaker.domain.ts';
import { expectedReadMs, type PublishedPlan } from '../plan/published-plan.domain.ts';
import type { QuarterHourStore } from './quarter-hour-store.ts';
import {
  quarterHourMs,
  quarterHourOf,
  quarterHoursShown,
  waitWithin,
} from './quarter-hours.domain.ts';

export interface StatusDeps {
  readonly store: { readAdmission(): Promise<AdmissionState> };
  readonly breakers: { readOpenings(nowMs: number): Promise<ReadonlyMap<number, AppOpening>> };
  readonly quarterHours: QuarterHourStore;
  readonly plan: () => PublishedPlan;
  readonly clock: Clock;
}

/** What anyone may know of the service; nothing of a customer. */
export const statusRoute = internalRoute({
  ...refreshApi.readStatus,
  async handle({ store, breakers, quarterHours, plan, clock }: StatusDeps) {
    const nowMs = clock.now();
    const sinceMs = quarterHourOf(nowMs) - (quarterHoursShown - 1) * quarterHourMs;
    const [admission, openings, quarters] = await Promise.all([
      store.readAdmission(),
      breakers.readOpenings(nowMs),
      quarterHours.readSince(sinceMs),
    ]);
    const reason = closedReason(admission, false);
    const byStart = new Map(quarters.map((quarter) => [quarter.startMs, quarter]));
    return {
      at: isoTime(nowMs),
      admission: { state: reason === null ? ('open' as const) : ('closed' as const), reason },
      expected_wait_seconds: expectedWaitSeconds(plan(), nowMs),
      circuit_breakers: [...openings]
        .toSorted(([one], [other]) => one - other)
        .map(([app_id, opening]) => ({
          app_id,
          state: breakerState(opening, nowMs),
          open_until: isoTime(opening.openUntilMs),
        })),
      quarter_hours: Array.from({ length: quarterHoursShown }, (_, at) => {
        const startMs = sinceMs + at * quarterHourMs;
        const quarter = byStart.get(startMs);
        return {
          start: isoTime(startMs),
          completed: quarter?.completed ?? 0,
          failed: quarter?.failed ?? 0,
          wait_p50_seconds: quarter ? waitWithin(quarter, 0.5) : null,
          wait_p95_seconds: quarter ? waitWithin(quarter, 0.95) : null,
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
