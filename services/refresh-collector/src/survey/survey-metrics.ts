import { gauge } from '@inventory/runtime/instruments';
import { identityStatuses } from '../egress/egress-identity.domain.ts';
import { openPhases, waitingPhases } from '../saga/refresh.domain.ts';
import type { RefreshSurvey } from './refresh-survey-store.ts';

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
    'Refreshes whose command was resent four times or that are a minute past their deadline; at most 1,000 are counted; all replicas report the same',
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

export interface RefreshGauges {
  /** As all replicas share it. */
  readonly admission: () => {
    readonly outstanding: number;
    readonly countClosed: boolean;
    readonly operatorClosed: boolean;
  };
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
