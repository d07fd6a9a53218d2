import { liveTroubles, refreshOutcomes } from '@inventory/contracts/vocabulary';
import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';
import { identityStandings } from './egress/egress-identity.domain.ts';
import type { PlatformAnswer } from './egress/platform-answer.domain.ts';
import type { LiveOutcome } from './live-pages/live-page.domain.ts';
import {
  openPhases,
  type Refresh,
  type RefreshPhase,
  refreshPhases,
  waitingPhases,
} from './refreshes/refresh.domain.ts';
import type { RefreshSurvey } from './refreshes/survey-refreshes.ts';
import type { PublishedPlan } from './scans/published-plan.domain.ts';

const { counter, gauge, histogram } = instrumentsOf(
  metrics.getMeter('@inventory/refresh-collector'),
);
const platformBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

const transitions = counter({
  name: 'inventory.refresh.transitions',
  description: 'Refreshes that entered a phase',
  labels: { phase: refreshPhases, outcome: [...refreshOutcomes, 'none'] },
});
const lostHolds = counter({
  name: 'inventory.refresh.holds_lost',
  description: 'Refreshes completed without a charge because the ledger had no hold to settle',
});
const refreshDuration = histogram({
  name: 'inventory.refresh.duration',
  description: 'Time from acceptance to terminal, by outcome',
  unit: 's',
  labels: { outcome: [...refreshOutcomes, 'none'] },
  buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200],
});
const platformAnswers = histogram({
  name: 'inventory.platform.request.duration',
  description: 'Platform answers by their meaning',
  unit: 's',
  labels: {
    answer: [
      'page',
      'private',
      'not_found',
      'throttled',
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
const livePages = histogram({
  name: 'inventory.live_pages.duration',
  description: 'Live pages by how they ended, the wait for an egress identity included',
  unit: 's',
  labels: { result: ['page', 'private', 'not_found', ...liveTroubles] },
  buckets: platformBuckets,
});
const outstanding = gauge({
  name: 'inventory.refresh.outstanding',
  description: 'Refreshes that are not terminal; all replicas tell the same',
});
const scansRunning = gauge({
  name: 'inventory.scans.running',
  description: 'Scans of this replica',
});
const scanPages = counter({
  name: 'inventory.scan.pages',
  description:
    'Pages read of scans that ended: of complete ones, and of those that brought nothing',
  labels: { result: ['complete', 'wasted'] },
});
const planPages = gauge({
  name: 'inventory.plan.pages',
  description:
    'Pages reserved for running scans, waiting in all, and free before the last deadline; all replicas tell the same',
  labels: { kind: ['reserved', 'waiting', 'free'] },
});
const planWait = gauge({
  name: 'inventory.plan.wait',
  description: 'Time that all waiting pages are expected to take; all replicas tell the same',
  unit: 's',
});
const identityWaits = gauge({
  name: 'inventory.identity.waits',
  description: 'Page requests of this replica that wait for an egress identity',
});
const liveRunning = gauge({
  name: 'inventory.live_pages.running',
  description: 'Live pages that clients of this replica wait for',
});
const openRefreshes = gauge({
  name: 'inventory.refresh.open',
  description: 'Refreshes that are not terminal, by phase; all replicas tell the same',
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
    'Refreshes that asked five times without an answer or are a minute past their deadline; at most 1,000 are counted; all replicas tell the same',
  labels: { phase: waitingPhases },
});
const stuckOldestAge = gauge({
  name: 'inventory.refresh.stuck.oldest.age',
  description: 'Time since the oldest stuck refresh was requested; 0 when there is none',
  unit: 's',
  labels: { phase: waitingPhases },
});
const admissionClosed = gauge({
  name: 'inventory.admission.closed',
  description: '1 while no refresh is admitted, by why; all replicas tell the same',
  labels: { reason: ['global_outstanding_closed', 'operator_closed'] },
});
const openBreakers = gauge({
  name: 'inventory.app_breaker.open',
  description: 'Applications of the platform that are left alone; all replicas tell the same',
});
const identities = gauge({
  name: 'inventory.identity.states',
  description: 'Egress identities by what they do; silent ones were refused and keep quiet',
  labels: { state: identityStandings },
});

export function countLostHold(): void {
  lostHolds.add(1);
}

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
  refreshDuration.record((refresh.completedAtMs - refresh.requestedAtMs) / 1_000, { outcome });
}

/** The platform answered one page request. */
export function countAnswer(
  answer: PlatformAnswer,
  purpose: 'scan' | 'live',
  durationMs: number,
): void {
  platformAnswers.record(durationMs / 1_000, { answer: answer.kind, purpose });
}

/** A live page was answered: `page`, a confirmed denial, or why it is not known. */
export function countLivePage(outcome: LiveOutcome, durationMs: number): void {
  const result = outcome.result === 'trouble' ? outcome.trouble : outcome.result;
  livePages.record(durationMs / 1_000, { result });
}

export interface Gauges {
  readonly outstanding: () => number;
  readonly scansRunning: () => number;
  readonly plan: () => PublishedPlan;
  readonly identityWaits: () => number;
  readonly livePages: () => number;
  readonly admission: () => { readonly countClosed: boolean; readonly operatorClosed: boolean };
  readonly openBreakers: () => number;
  readonly survey: () => RefreshSurvey | null;
  readonly now: () => number;
}

/** What is read when metrics are collected. */
export function observe(gauges: Gauges): void {
  outstanding.observe((tell) => tell(gauges.outstanding()));
  scansRunning.observe((tell) => tell(gauges.scansRunning()));
  identityWaits.observe((tell) => tell(gauges.identityWaits()));
  liveRunning.observe((tell) => tell(gauges.livePages()));
  planPages.observe((tell) => {
    const { pagesReserved, pagesWaiting, pagesFree } = gauges.plan();
    tell(pagesReserved, { kind: 'reserved' });
    tell(pagesWaiting, { kind: 'waiting' });
    tell(pagesFree, { kind: 'free' });
  });
  planWait.observe((tell) => {
    const { pagesWaiting, pagesPerMinute } = gauges.plan();
    tell(pagesPerMinute > 0 ? (pagesWaiting * 60) / pagesPerMinute : 0);
  });
  openBreakers.observe((tell) => tell(gauges.openBreakers()));
  admissionClosed.observe((tell) => {
    const { countClosed, operatorClosed } = gauges.admission();
    tell(Number(countClosed), { reason: 'global_outstanding_closed' });
    tell(Number(operatorClosed), { reason: 'operator_closed' });
  });
  observeSurvey(gauges);
}

/** Ages go on between two surveys. */
function observeSurvey({ survey, now }: Gauges): void {
  const ageS = (oldestAtMs: number | null) =>
    oldestAtMs === null ? 0 : Math.max(0, now() - oldestAtMs) / 1_000;
  openRefreshes.observe((tell) => {
    for (const { phase, count } of survey()?.open ?? []) tell(count, { phase });
  });
  openOldestAge.observe((tell) => {
    for (const { phase, oldestAtMs } of survey()?.open ?? []) tell(ageS(oldestAtMs), { phase });
  });
  stuckRefreshes.observe((tell) => {
    for (const { phase, count } of survey()?.stuck ?? []) tell(count, { phase });
  });
  stuckOldestAge.observe((tell) => {
    for (const { phase, oldestAtMs } of survey()?.stuck ?? []) tell(ageS(oldestAtMs), { phase });
  });
  identities.observe((tell) => {
    for (const { state, count } of survey()?.identities ?? []) tell(count, { state });
  });
}
