import type { EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { EventType } from './webhook-endpoint.ts';

export const pingType = 'webhook.ping';

export type AttemptError =
  | 'status'
  | 'redirect'
  | 'timeout'
  | 'dns'
  | 'address_refused'
  | 'tls'
  | 'connection';

/** One request and how it ended. */
export interface Attempt {
  readonly atMs: number;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: AttemptError | null;
}

export type DeliveryFailure = 'attempts_exhausted' | 'endpoint_disabled';

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  readonly endpointId: WebhookEndpointId;
  readonly projectId: ProjectId;
  readonly eventId: EventId;
  readonly type: EventType | typeof pingType;
  /** Exactly what is sent, at every attempt. */
  readonly body: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly failure: DeliveryFailure | null;
  readonly createdAtMs: number;
  readonly nextAttemptAtMs: number | null;
  /** Failed attempts since it was made or asked for again. */
  readonly failures: number;
  /** Grows whenever somebody takes the delivery on: what an earlier one reports is void. */
  readonly claim: number;
  /** The newest ones. */
  readonly attempts: readonly Attempt[];
  readonly attemptsTotal: number;
}

/** Where a delivery stands after an attempt. */
export type DeliveryProgress =
  | { readonly state: 'delivered' }
  | { readonly state: 'pending'; readonly nextAttemptAtMs: number; readonly failures: number }
  | { readonly state: 'failed'; readonly failure: DeliveryFailure; readonly failures: number };

export interface RetryRules {
  /** Pause after each failed attempt but the last, in milliseconds. */
  readonly scheduleMs: readonly number[];
  /** Longest pause that an endpoint may ask for. */
  readonly retryAfterMaxMs: number;
}

export interface AttemptEnd {
  readonly isSuccess: boolean;
  readonly atMs: number;
  /** What the endpoint asked for; null where it did not. */
  readonly retryAfterMs: number | null;
  /** In [0, 1). */
  readonly random: number;
}

/** Share of a pause that chance adds, so that what failed together does not come back together. */
const jitterShare = 0.2;

/** A test is tried once: whoever asked for it looks at how it went. */
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
