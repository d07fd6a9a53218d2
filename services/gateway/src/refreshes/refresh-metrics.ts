import { instrumentsOf, secondsBuckets } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';
import { type ReplyResult, replyResults } from '../commands/request-reply-client.ts';

const { counter, gauge, histogram } = instrumentsOf(metrics.getMeter('@inventory/gateway'));

const decisionWait = histogram({
  name: 'inventory.gateway.decision_wait',
  description: 'Time a refresh request waited for the decision on its admission',
  unit: 's',
  labels: { result: replyResults },
  buckets: secondsBuckets,
});
const cancelResults = ['cancelling', 'already_completed', 'not_found'] as const;
const cancelsAcknowledged = counter({
  name: 'inventory.gateway.pending_cancels_acknowledged',
  description: 'Attempts of unknown outcome whose cancel the collector has acknowledged',
  labels: { result: cancelResults },
});
const waitingRefreshes = gauge({
  name: 'inventory.gateway.refresh_waits',
  description: 'Status requests of this replica that wait for a refresh to become terminal',
});

export function decisionWaited(durationMs: number, result: ReplyResult<unknown>['result']): void {
  decisionWait.record(durationMs / 1_000, { result });
}

export function pendingCancelAcknowledged(result: (typeof cancelResults)[number]): void {
  cancelsAcknowledged.add(1, { result });
}

/** Reports the long polls of this replica until the returned function is called. */
export function observeWaitingRefreshes(count: () => number): () => void {
  return waitingRefreshes.observe((observe) => observe(count()));
}
