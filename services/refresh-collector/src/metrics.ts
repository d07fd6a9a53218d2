import { livePageFailures, refreshOutcomes } from '@inventory/contracts/vocabulary';
import { counter, gauge, histogram } from '@inventory/runtime/instruments';
import { identityStatuses } from './egress/egress-identity.domain.ts';
import type { LivePageOutcome } from './live-pages/live-page.domain.ts';
import type { AdmissionState } from './refreshes/admission.domain.ts';
import type { PublishedPlan } from './refreshes/published-plan.domain.ts';
import {
  isServedFromSaved,
  openPhases,
  type Refresh,
  type RefreshPhase,
  refreshPhases,
  waitingPhases,
} from './refreshes/refresh.domain.ts';
import type { RefreshSurvey } from './refreshes/refresh-survey-store.ts';

/** Of requests to the platform. */
const platformBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export const platformAnswers = histogram({
  name: 'inventory.platform.request.duration',
  description: 'Platform responses by their meaning',
  unit: 's',
  labels: {
    answer: [
      'page',
      'private',
      'not_found',
      'throttled',
      'blocked',
      'bad_request',
      'too_large',
      'unreachable',
      'fault',
      'refused',
    ],
    purpose: ['scan', 'live'],
  },
  buckets: platformBuckets,
});
export const identityWaits = gauge({
  name: 'inventory.identity.waits',
  description: 'Page requests of this replica that wait for an egress slot',
});
export const openBreakers = gauge({
  name: 'inventory.app_breaker.open',
  description:
    'Applications of the platform whose circuit breaker is open; all replicas report the same',
});

const livePages = histogram({
  name: 'inventory.live_pages.duration',
  description: 'Live pages by result, the wait for an egress slot included',
  unit: 's',
  labels: { result: ['page', 'private', 'not_found', ...livePageFailures] },
  buckets: platformBuckets,
});
export const liveRunning = gauge({
  name: 'inventory.live_pages.running',
  description: 'Live pages in progress on this replica',
});

/**
 * A live page ended: with a page, a confirmed denial, or a failure. One refused at a limit of its
 * account is not counted: nothing was read.
 */
export function countLivePage(outcome: LivePageOutcome, durationMs: number): void {
  if (outcome.result === 'concurrency_limit' || outcome.result === 'abandoned_limit') return;
  const result = outcome.result === 'failed' ? outcome.failure : outcome.result;
  livePages.record(durationMs / 1_000, { result });
}

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

const scansRunning = gauge({
  name: 'inventory.scans.running',
  description: 'Scans of this replica',
});
const planPages = gauge({
  name: 'inventory.plan.pages',
  description:
    'Pages reserved for running scans, waiting in all, and free before the last deadline; all replicas report the same',
  labels: { kind: ['reserved', 'waiting', 'free'] },
});
const planWait = gauge({
  name: 'inventory.plan.wait',
  description: 'Time that all waiting pages are expected to take; all replicas report the same',
  unit: 's',
});
const setAside = gauge({
  name: 'inventory.refresh.set_aside',
  description:
    'Open refreshes whose planned step failed five times in a row or more; 0 on replicas that do not plan',
});

export function observeScans(read: {
  readonly running: () => number;
  readonly plan: () => PublishedPlan;
  readonly setAside: () => number;
}): void {
  scansRunning.observe((observe) => observe(read.running()));
  setAside.observe((observe) => observe(read.setAside()));
  planPages.observe((observe) => {
    const { pagesReserved, pagesWaiting, pagesFree } = read.plan();
    observe(pagesReserved, { kind: 'reserved' });
    observe(pagesWaiting, { kind: 'waiting' });
    observe(pagesFree, { kind: 'free' });
  });
  planWait.observe((observe) => {
    const { pagesWaiting, pagesPerMinute } = read.plan();
    observe(pagesPerMinute > 0 ? (pagesWaiting * 60) / pagesPerMinute : 0);
  });
}
