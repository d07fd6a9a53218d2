import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';
import type { PlatformAnswer } from './platform-answer.domain.ts';

const { gauge, histogram } = instrumentsOf(metrics.getMeter('@inventory/refresh-collector'));
/** Of requests to the platform. */
export const platformBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

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
const identityWaits = gauge({
  name: 'inventory.identity.waits',
  description: 'Page requests of this replica that wait for an egress slot',
});
const openBreakers = gauge({
  name: 'inventory.app_breaker.open',
  description:
    'Applications of the platform whose circuit breaker is open; all replicas report the same',
});

/** The platform answered a page request. */
export function countAnswer(
  answer: PlatformAnswer,
  purpose: 'scan' | 'live',
  durationMs: number,
): void {
  platformAnswers.record(durationMs / 1_000, { answer: answer.kind, purpose });
}

export function observeEgress(read: {
  readonly waiting: () => number;
  readonly openBreakers: () => number;
}): void {
  identityWaits.observe((observe) => observe(read.waiting()));
  openBreakers.observe((observe) => observe(read.openBreakers()));
}
