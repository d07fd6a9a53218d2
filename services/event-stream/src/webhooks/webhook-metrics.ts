import { projectEventTypes } from '@inventory/contracts/http/project-event';
import { webhookAttemptError, webhookDisabledReason } from '@inventory/contracts/http/webhooks';
import { counter, gauge, histogram } from '@inventory/runtime/instruments';
import type { AttemptReport, DeliveryBacklog } from './delivery-store.ts';
import { pingType } from './webhook-delivery.domain.ts';
import type { WebhookEndpoint } from './webhook-document.ts';

const attemptTypes = [...projectEventTypes, pingType] as const;
const attemptDuration = histogram({
  name: 'inventory.webhooks.attempt.duration',
  description: 'Duration of webhook requests, by result',
  unit: 's',
  labels: { type: [...attemptTypes, 'other'], result: ['success', ...webhookAttemptError.options] },
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
});
const disabled = counter({
  name: 'inventory.webhooks.disabled',
  description: 'Webhook endpoints disabled because of their responses',
  labels: { reason: webhookDisabledReason.options },
});
const dueDeliveries = gauge({
  name: 'inventory.webhooks.due',
  description:
    'Stored webhook deliveries that are due, those of endpoints that must not be sent to included; at most 10,000 are counted; every replica reports the same value',
});
const dueOldestAge = gauge({
  name: 'inventory.webhooks.due.oldest.age',
  description:
    'How long the oldest delivery has been due that the last claim of its endpoint left; 0 without one. Those of paused endpoints and suspended Projects are not late',
  unit: 's',
});
const retrying = gauge({
  name: 'inventory.webhooks.retrying',
  description:
    'Webhook deliveries waiting for a retry; at most 10,000 are counted; every replica reports the same value',
});

export function countAttempt({
  attempt: { durationMs, error },
  delivery: { type },
}: AttemptReport): void {
  // A later version may have appended events of types that this one does not know.
  const known = attemptTypes.find((one) => one === type) ?? 'other';
  attemptDuration.record(durationMs / 1_000, { type: known, result: error ?? 'success' });
}

export function countDisabled(reason: NonNullable<WebhookEndpoint['disabledReason']>): void {
  disabled.add(1, { reason });
}

interface Backlog extends DeliveryBacklog {
  /** Since when the oldest delivery is due that a claim left; null without one. */
  readonly lateSinceMs: number | null;
}

/** Reports the backlog once it was counted; the age advances between counts. */
export function observeBacklog(latest: () => Backlog | null, now: () => number): void {
  const reporting = (measure: (backlog: Backlog) => number) => {
    return (observe: (value: number) => void): void => {
      const backlog = latest();
      if (backlog) observe(measure(backlog));
    };
  };
  dueDeliveries.observe(reporting(({ due }) => due));
  retrying.observe(reporting((backlog) => backlog.retrying));
  dueOldestAge.observe(
    reporting(({ lateSinceMs }) =>
      lateSinceMs === null ? 0 : Math.max(0, now() - lateSinceMs) / 1_000,
    ),
  );
}
