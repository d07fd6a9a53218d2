import { livePageFailures } from '@inventory/contracts/vocabulary';
import { gauge, histogram } from '@inventory/runtime/instruments';
import { platformBuckets } from '../egress/egress-metrics.ts';
import type { LivePageOutcome } from './live-page.domain.ts';

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
