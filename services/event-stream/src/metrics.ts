import { metrics } from '@opentelemetry/api';
import type { LoggedEvent } from './domain/project-event.ts';
import type { Attempt, WebhookDelivery } from './domain/webhook-delivery.ts';
import type { DisabledReason } from './domain/webhook-endpoint.ts';

const meter = metrics.getMeter('event-stream');
const appended = meter.createCounter('inventory.events.appended', {
  description: 'Announcements that got a place',
});

/** An announcement was given its place in a Project's log, or shown the one it had. */
export function countAppended(event: LoggedEvent): void {
  const outcome = event.type === 'inventory.refresh.completed' ? { outcome: event.outcome } : {};
  appended.add(1, { type: event.type, ...outcome });
}

const attempts = meter.createHistogram('inventory.webhooks.attempts', {
  description: 'Webhook requests, by how they ended',
  unit: 'ms',
});
const disabled = meter.createCounter('inventory.webhooks.disabled', {
  description: 'Webhook endpoints that were switched off because of their answers',
});

export function countAttempt({ durationMs, error }: Attempt, { type }: WebhookDelivery): void {
  attempts.record(durationMs, { type, result: error ?? 'success' });
}

export function countDisabled(reason: DisabledReason): void {
  disabled.add(1, { reason });
}
