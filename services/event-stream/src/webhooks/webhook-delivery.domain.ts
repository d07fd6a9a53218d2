/** A test, which is in no log. */
export const pingType = 'webhook.ping';

/** What an attempt changes of its delivery. */
export interface DeliveryProgress {
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly failure: 'attempts_exhausted' | null;
  readonly failures: number;
  /** Null unless it is pending. */
  readonly nextAttemptAtMs: number | null;
}

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

/** No delivery waits longer for its next attempt. */
export function longestPauseMs({ scheduleMs, retryAfterMaxMs }: RetryRules): number {
  return Math.max(retryAfterMaxMs, ...scheduleMs.map((pauseMs) => pauseMs * (1 + jitterShare)));
}

/** A test is attempted once. */
export function afterAttempt(
  delivery: { readonly type: string; readonly failures: number },
  end: AttemptEnd,
  { scheduleMs, retryAfterMaxMs }: RetryRules,
): DeliveryProgress {
  const { type, failures: before } = delivery;
  const ended = { failure: null, nextAttemptAtMs: null };
  if (end.isSuccess) return { ...ended, state: 'delivered', failures: before };
  const failures = before + 1;
  const pauseMs = type === pingType ? undefined : scheduleMs[before];
  if (pauseMs === undefined) {
    return { ...ended, state: 'failed', failure: 'attempts_exhausted', failures };
  }
  const jitteredMs = Math.round(pauseMs * (1 + jitterShare * end.random));
  const requestedMs = Math.min(end.retryAfterMs ?? 0, retryAfterMaxMs);
  const nextAttemptAtMs = end.atMs + Math.max(jitteredMs, requestedMs);
  return { state: 'pending', failure: null, failures, nextAttemptAtMs };
}
