/** Recent results of an endpoint's attempts. */
export interface EndpointHealth {
  /** Failures since the last success. */
  readonly failures: number;
  /** When the consecutive failures began; null without any. */
  readonly failingSinceMs: number | null;
  readonly lastFailureMs: number | null;
  /** Nothing is sent before this. */
  readonly pausedUntilMs: number;
}

export interface HealthLimits {
  /** An endpoint that has failed for this long is disabled. */
  readonly disableAfterMs: number;
  /**
   * A gap between attempts that ends a run of failures. Longer than the longest pause between two
   * attempts of one delivery.
   */
  readonly silenceMaxMs: number;
  /** Consecutive failures from which an endpoint is paused. */
  readonly pauseAfterFailures: number;
  readonly pauseFirstMs: number;
  readonly pauseMaxMs: number;
}

export const healthy: EndpointHealth = {
  failures: 0,
  failingSinceMs: null,
  lastFailureMs: null,
  pausedUntilMs: 0,
};

function afterFailure(health: EndpointHealth, nowMs: number, limits: HealthLimits): EndpointHealth {
  const { failures, failingSinceMs, lastFailureMs } = health;
  const isConsecutive = lastFailureMs !== null && nowMs - lastFailureMs <= limits.silenceMaxMs;
  const count = isConsecutive ? failures + 1 : 1;
  return {
    failures: count,
    failingSinceMs: isConsecutive && failingSinceMs !== null ? failingSinceMs : nowMs,
    lastFailureMs: nowMs,
    pausedUntilMs: count < limits.pauseAfterFailures ? 0 : nowMs + pauseMs(count, limits),
  };
}

/** The pause doubles with each further failure. */
function pauseMs(failures: number, limits: HealthLimits): number {
  const doublings = Math.min(failures - limits.pauseAfterFailures, 30);
  return Math.min(limits.pauseMaxMs, limits.pauseFirstMs * 2 ** doublings);
}

/** When its pause ends. No pause is longer than the longest one: a clock was wrong when it began. */
export function pauseEndMs(
  { pausedUntilMs }: EndpointHealth,
  nowMs: number,
  { pauseMaxMs }: HealthLimits,
): number {
  return pausedUntilMs - nowMs > pauseMaxMs ? 0 : pausedUntilMs;
}

/** Concurrent requests allowed: after a pause one request tests the endpoint. */
export function concurrencyOf(health: EndpointHealth, most: number, limits: HealthLimits): number {
  return health.failures >= limits.pauseAfterFailures ? 1 : most;
}

const goneStatus = 410;

/** What a result changes of an endpoint. */
export interface HealthChange {
  readonly health: EndpointHealth;
  /** Absent where it stays enabled. */
  readonly disabledReason?: 'gone' | 'failing';
}

/**
 * What a result changes of an endpoint; null when nothing does. A response of 410 disables it at
 * once, failures for too long do too.
 */
export function afterResult(
  { health, state }: { readonly health: EndpointHealth; readonly state: 'enabled' | 'disabled' },
  { status, error, atMs }: { status: number | null; error: string | null; atMs: number },
  limits: HealthLimits,
): HealthChange | null {
  if (error === null) return health.failures === 0 ? null : { health: healthy };
  const next = afterFailure(health, atMs, limits);
  const reason = status === goneStatus ? 'gone' : 'failing';
  const failingMs = atMs - (next.failingSinceMs ?? atMs);
  const isDisabled = reason === 'gone' || failingMs >= limits.disableAfterMs;
  const isChanged = isDisabled && state === 'enabled';
  return { health: next, ...(isChanged && { disabledReason: reason }) };
}

/** The fields of an endpoint that the change sets. */
export function healthFieldsOf(change: HealthChange, atMs: number) {
  const disabling = { state: 'disabled', changedAtMs: atMs } as const;
  return { ...change, ...(change.disabledReason && disabling) };
}
