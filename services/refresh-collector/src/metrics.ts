import { metrics } from '@opentelemetry/api';
import type { LiveOutcome } from './domain/live-page.ts';
import type { PlatformAnswer } from './domain/platform-answer.ts';
import type { Refresh } from './domain/refresh.ts';

const meter = metrics.getMeter('refresh-collector');

const refreshesByPhase = meter.createCounter('inventory.refresh.transitions', {
  description: 'Refreshes that entered a phase',
});
const refreshDuration = meter.createHistogram('inventory.refresh.duration', {
  description: 'Time from acceptance to terminal, by outcome',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200] },
});
const platformAnswers = meter.createHistogram('inventory.platform.request.duration', {
  description: 'Platform answers by their meaning',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] },
});

const livePages = meter.createHistogram('inventory.live_pages.duration', {
  description: 'Live pages by how they ended, the wait for an egress identity included',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] },
});

/** A refresh entered a new phase. */
export function countTransition(refresh: Refresh): void {
  const outcome = refresh.outcome ?? 'none';
  refreshesByPhase.add(1, { phase: refresh.phase, outcome });
  if (refresh.phase !== 'completed' || refresh.completedAtMs === null || refresh.eventAppended)
    return;
  refreshDuration.record((refresh.completedAtMs - refresh.requestedAtMs) / 1000, { outcome });
}

/** The platform answered one page request. */
export function countAnswer(answer: PlatformAnswer, durationMs: number): void {
  platformAnswers.record(durationMs / 1000, { answer: answer.kind });
}

/** A live page was answered: `page`, a confirmed denial, or why it is not known. */
export function countLivePage(outcome: LiveOutcome, durationMs: number): void {
  const result = outcome.outcome === 'trouble' ? outcome.trouble : outcome.outcome;
  livePages.record(durationMs / 1000, { result });
}

export interface Gauges {
  readonly outstanding: () => number;
  readonly scansRunning: () => number;
  readonly identityWaits: () => number;
  readonly livePages: () => number;
}

/** What is read when metrics are collected. */
export function observe(gauges: Gauges): void {
  meter
    .createObservableGauge('inventory.refresh.outstanding', {
      description: 'Refreshes that are not terminal',
    })
    .addCallback((result) => result.observe(gauges.outstanding()));
  meter
    .createObservableGauge('inventory.scans.running', { description: 'Scans of this replica' })
    .addCallback((result) => result.observe(gauges.scansRunning()));
  meter
    .createObservableGauge('inventory.identity.waits', {
      description: 'Page requests that wait for an egress identity',
    })
    .addCallback((result) => result.observe(gauges.identityWaits()));
  meter
    .createObservableGauge('inventory.live_pages.running', {
      description: 'Live pages that clients of this replica wait for',
    })
    .addCallback((result) => result.observe(gauges.livePages()));
}
