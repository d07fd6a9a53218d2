import type { EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';

export const pingType = 'webhook.ping';

export type AttemptError =
  | 'status'
  | 'redirect'
  | 'timeout'
  | 'dns'
  | 'address_refused'
  | 'tls'
  | 'connection';

/** One request and its result. */
export interface Attempt {
  readonly atMs: number;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: AttemptError | null;
  /** The start of the response body, as text without secrets; null without a response. */
  readonly responseBody: string | null;
}

export type DeliveryFailure = 'attempts_exhausted' | 'endpoint_disabled';

/** The delivery of one event to one endpoint. */
export interface WebhookDelivery {
  readonly endpointId: WebhookEndpointId;
  readonly projectId: ProjectId;
  readonly eventId: EventId;
  readonly type: string;
  /** The bytes of every attempt. */
  readonly body: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly failure: DeliveryFailure | null;
  readonly createdAtMs: number;
  /** When the event was appended; null for a test, which is in no log. */
  readonly appendedAtMs: number | null;
  readonly nextAttemptAtMs: number | null;
  /** Failed attempts since it was created or redelivered. */
  readonly failures: number;
  /** The newest ones. */
  readonly attempts: readonly Attempt[];
  readonly attemptsTotal: number;
}

/** The state of a delivery after an attempt. */
export type DeliveryProgress =
  | { readonly state: 'delivered' }
  | { readonly state: 'pending'; readonly nextAttemptAtMs: number; readonly failures: number }
  | { readonly state: 'failed'; readonly failure: DeliveryFailure; readonly failures: number };

export interface RetryRules {
  /** Pause after each failed attempt except the last. */
  readonly scheduleMs: readonly number[];
  /** Upper bound of a requested pause. */
  readonly retryAfterMaxMs: number;
}

export interface AttemptEnd {
  readonly isSuccess: boolean;
  readonly atMs: number;
  /** The pause requested by the endpoint; null without one. */
  readonly retryAfterMs: number | null;
  /** In [0, 1). */
  readonly random: number;
}

/** Random share added to a pause, so that deliveries that failed together are not retried together. */
const jitterShare = 0.2;

/** A test is attempted once. */
export function afterAttempt(
  delivery: Pick<WebhookDelivery, 'type' | 'failures'>,
  end: AttemptEnd,
  { scheduleMs, retryAfterMaxMs }: RetryRules,
): DeliveryProgress {
  if (end.isSuccess) return { state: 'delivered' };
  const failures = delivery.failures + 1;
  const pauseMs = delivery.type === pingType ? undefined : scheduleMs[failures - 1];
  if (pauseMs === undefined) return { state: 'failed', failure: 'attempts_exhausted', failures };
  const jitteredMs = Math.round(pauseMs * (1 + jitterShare * end.random));
  const askedMs = Math.min(end.retryAfterMs ?? 0, retryAfterMaxMs);
  return { state: 'pending', nextAttemptAtMs: end.atMs + Math.max(jitteredMs, askedMs), failures };
}
