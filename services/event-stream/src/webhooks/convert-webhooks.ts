import type {
  WebhookDeliveryView,
  WebhookEndpointView,
  WebhookEndpointWithSecret,
  WebhookRedelivered,
} from '@inventory/contracts/http/webhooks';
import { isoTime } from '@inventory/runtime/clock';
import type { Redelivered } from './redeliver.ts';
import type { WebhookDelivery, WebhookEndpoint } from './webhook-document.ts';

/** Without its secrets. */
export function toWireEndpoint(endpoint: WebhookEndpoint): WebhookEndpointView {
  const { id, projectId, url, description, types, state, disabledReason, health } = endpoint;
  return {
    endpoint_id: id,
    project_id: projectId,
    url,
    description,
    types: [...types],
    state,
    disabled_reason: disabledReason,
    failing_since: isoOrNull(health.failingSinceMs),
    secrets: endpoint.secrets.map(({ createdAtMs, endsAtMs }) => ({
      created_at: isoTime(createdAtMs),
      ends_at: isoOrNull(endsAtMs),
    })),
    created_at: isoTime(endpoint.createdAtMs),
    changed_at: isoTime(endpoint.changedAtMs),
  };
}

/** Includes the newest secret: only in the response to the request that created it. */
export function toWireWithSecret(endpoint: WebhookEndpoint): WebhookEndpointWithSecret {
  return { ...toWireEndpoint(endpoint), secret: endpoint.secrets[0]?.secret ?? '' };
}

export function toWireDelivery(delivery: WebhookDelivery): WebhookDeliveryView {
  const { eventId, type, state, failure, createdAtMs, nextAttemptAtMs, attemptsTotal } = delivery;
  return {
    event_id: eventId,
    type,
    state,
    failure,
    created_at: isoTime(createdAtMs),
    next_attempt_at: isoOrNull(nextAttemptAtMs),
    attempts_total: attemptsTotal,
    attempts: delivery.attempts.map(({ atMs, status, durationMs, error, responseBody }) => ({
      at: isoTime(atMs),
      status,
      duration_ms: durationMs,
      error,
      response_body: responseBody,
    })),
  };
}

export function toWireRedelivered(done: Redelivered): WebhookRedelivered {
  return { redelivered: done.redelivered, continue_since: isoOrNull(done.continueSinceMs) };
}

function isoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}
