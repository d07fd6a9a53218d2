import { refreshOutcomes } from '@inventory/contracts/vocabulary';
import { counter, gauge, histogram } from '@inventory/runtime/instruments';
import { identityStatuses } from '../egress/egress-identity.domain.ts';
import type { AdmissionState } from './admission.domain.ts';
import {
  isServedFromSaved,
  openPhases,
  type Refresh,
  type RefreshPhase,
  refreshPhases,
  waitingPhases,
} from './refresh.domain.ts';
import type { RefreshSurvey } from './refresh-survey-store.ts';

const transitions = counter({
  name: 'inventory.refresh.transitions',
  description: 'Refreshes that entered a phase',
  labels: { phase: refreshPhases, outcome: [...refreshOutcomes, 'none'] },
});
export const lostHolds = counter({
  name: 'inventory.refresh.holds_lost',
  description: 'Refreshes completed without a charge because the ledger had no hold to settle',
});
/** Completed as they were requested, or in place of their scan. */
export const savedAnswers = counter({
  name: 'inventory.refresh.saved',
  description: 'Refreshes completed by a saved observation, without a scan',
});
const refreshDuration = histogram({
  name: 'inventory.refresh.duration',
  description: 'Time from acceptance to terminal, by outcome',
  unit: 's',
  labels: { outcome: [...refreshOutcomes, 'none'] },
  buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200],
});
const scanPages = counter({
  name: 'inventory.scan.pages',
  description: 'Pages read of ended scans: of complete ones, and of all others',
  labels: { result: ['complete', 'wasted'] },
});
const outstanding = gauge({
  name: 'inventory.refresh.outstanding',
  description: 'Refreshes that are not terminal; all replicas report the same',
});
const admissionClosed = gauge({
  name: 'inventory.admission.closed',
  description: '1 while no refresh is admitted, by reason; all replicas report the same',
  labels: { reason: ['global_outstanding_closed', 'operator_closed'] },
});
const openRefreshes = gauge({
  name: 'inventory.refresh.open',
  description: 'Refreshes that are not terminal, by phase; all replicas report the same',
  labels: { phase: openPhases },
});
const openOldestAge = gauge({
  name: 'inventory.refresh.open.oldest.age',
  description: 'Time since the oldest refresh in a phase was requested; 0 when there is none',
  unit: 's',
  labels: { phase: openPhases },
});
const stuckRefreshes = gauge({
  name: 'inventory.refresh.stuck',
  description:
    'Refreshes whose command was resent five times or that are a minute past their deadline; at most 1,000 are counted; all replicas report the same',
  labels: { phase: waitingPhases },
});
const stuckOldestAge = gauge({
  name: 'inventory.refresh.stuck.oldest.age',
  description: 'Time since the oldest stuck refresh was requested; 0 when there is none',
  unit: 's',
  labels: { phase: waitingPhases },
});
const identities = gauge({
  name: 'inventory.identity.states',
  description: 'Egress identities by state; silent after a refusal; all replicas report the same',
  labels: { state: identityStatuses },
});

/** A refresh entered a new phase. */
export function countTransition(refresh: Refresh, left: RefreshPhase): void {
  const outcome = refresh.outcome ?? 'none';
  if (left === 'collecting') {
    const result = refresh.phase === 'assembling' ? 'complete' : 'wasted';
    scanPages.add(refresh.scan?.pages ?? 0, { result });
  }
  transitions.add(1, { phase: refresh.phase, outcome });
  if (refresh.phase !== 'completed' || refresh.completedAtMs === null || refresh.eventAppended)
    return;
  if (isServedFromSaved(refresh)) savedAnswers.add(1);
  refreshDuration.record((refresh.completedAtMs - refresh.requestedAtMs) / 1_000, { outcome });
}

export interface RefreshGauges {
  readonly admission: () => AdmissionState;
  readonly survey: () => RefreshSurvey | null;
  readonly now: () => number;
}

export function observeRefreshes({ admission, survey, now }: RefreshGauges): void {
  outstanding.observe((observe) => observe(admission().outstanding));
  admissionClosed.observe((observe) => {
    const { countClosed, operatorClosed } = admission();
    observe(Number(countClosed), { reason: 'global_outstanding_closed' });
    observe(Number(operatorClosed), { reason: 'operator_closed' });
  });
  // Between two surveys the ages grow.
  const ageSeconds = (oldestAtMs: number | null) =>
    oldestAtMs === null ? 0 : Math.max(0, now() - oldestAtMs) / 1_000;
  openRefreshes.observe((observe) => {
    for (const { phase, count } of survey()?.open ?? []) observe(count, { phase });
  });
  openOldestAge.observe((observe) => {
    for (const { phase, oldestAtMs } of survey()?.open ?? [])
      observe(ageSeconds(oldestAtMs), { phase });
  });
  stuckRefreshes.observe((observe) => {
    for (const { phase, count } of survey()?.stuck ?? []) observe(count, { phase });
  });
  stuckOldestAge.observe((observe) => {
    for (const { phase, oldestAtMs } of survey()?.stuck ?? [])
      observe(ageSeconds(oldestAtMs), { phase });
  });
  identities.observe((observe) => {
    for (const { state, count } of survey()?.identities ?? []) observe(count, { state });
  });
}
