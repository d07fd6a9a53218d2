import { projectEventTypes } from '@inventory/contracts/http/project-event';
import { refreshOutcomes } from '@inventory/contracts/vocabulary';
import { fromIsoTime } from '@inventory/runtime/clock';
import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';
import type { LoggedEvent } from './log/project-event.domain.ts';
import type { DeliveryBacklog } from './storage/delivery-backlog.ts';
import {
  type Attempt,
  type AttemptError,
  pingType,
  type WebhookDelivery,
} from './webhooks/webhook-delivery.domain.ts';
import type { DisabledReason } from './webhooks/webhook-endpoint.domain.ts';

const { counter, gauge, histogram } = instrumentsOf(metrics.getMeter('@inventory/event-stream'));

const appended = counter({
  name: 'inventory.events.appended',
  description: 'Announcements that were appended, or whose event had a position already',
  labels: { type: projectEventTypes, outcome: refreshOutcomes },
});
const appendDelay = histogram({
  name: 'inventory.events.append.delay',
  description: 'Time from the announced fact until its event is appended, duplicates included',
  unit: 's',
  labels: { type: projectEventTypes },
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});
const attemptErrors = [
  'status',
  'redirect',
  'timeout',
  'dns',
  'address_refused',
  'tls',
  'connection',
] as const satisfies readonly AttemptError[];
const attemptTypes = [...projectEventTypes, pingType] as const;
const attemptDuration = histogram({
  name: 'inventory.webhooks.attempt.duration',
  description: 'Duration of webhook requests, by result',
  unit: 's',
  labels: { type: [...attemptTypes, 'other'], result: ['success', ...attemptErrors] },
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
});
const disabled = counter({
  name: 'inventory.webhooks.disabled',
  description: 'Webhook endpoints disabled because of their responses',
  labels: { reason: ['requested', 'gone', 'failing'] },
});
const dueDeliveries = gauge({
  name: 'inventory.webhooks.due',
  description:
    'Stored webhook deliveries that are due; at most 10,000 are counted; every replica reports the same value',
});
const dueOldestAge = gauge({
  name: 'inventory.webhooks.due.oldest.age',
  description: 'Age of the oldest due delivery; 0 when there is none',
  unit: 's',
});
const retrying = gauge({
  name: 'inventory.webhooks.retrying',
  description:
    'Webhook deliveries in flight or waiting for a retry; at most 10,000 are counted; every replica reports the same value',
});

/** An event was appended, or had its position already. */
export function countAppended(event: LoggedEvent, nowMs: number): void {
  const { type } = event;
  const outcome = event.type === 'inventory.refresh.completed' ? { outcome: event.outcome } : {};
  appended.add(1, { type, ...outcome });
  appendDelay.record(Math.max(0, nowMs - fromIsoTime(event.occurredAt)) / 1_000, { type });
}

export function countAttempt({ durationMs, error }: Attempt, { type }: WebhookDelivery): void {
  // A later version may have appended events of types that this one does not know.
  const known = attemptTypes.find((one) => one === type) ?? 'other';
  attemptDuration.record(durationMs / 1_000, { type: known, result: error ?? 'success' });
}

export function countDisabled(reason: DisabledReason): void {
  disabled.add(1, { reason });
}

/** Reports the backlog once it was counted; the age advances between counts. */
export function observeBacklog(latest: () => DeliveryBacklog | null, now: () => number): void {
  const reporting = (measure: (backlog: DeliveryBacklog) => number) => {
    return (observe: (value: number) => void): void => {
      const backlog = latest();
      if (backlog) observe(measure(backlog));
    };
  };
  dueDeliveries.observe(reporting(({ due }) => due));
  retrying.observe(reporting((backlog) => backlog.retrying));
  dueOldestAge.observe(
    reporting(({ dueSinceMs }) =>
      dueSinceMs === null ? 0 : Math.max(0, now() - dueSinceMs) / 1_000,
    ),
  );
}
