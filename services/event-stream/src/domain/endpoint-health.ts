/** How an endpoint has answered lately. */
export interface EndpointHealth {
  /** Failures since the last success. */
  readonly failures: number;
  /** When the unbroken run of failures began; null while there is none. */
  readonly failingSinceMs: number | null;
  readonly lastFailureMs: number | null;
  /** Nothing is sent before this. */
  readonly pausedUntilMs: number;
}

export interface HealthLimits {
  /** An endpoint that has failed for this long is disabled. */
  readonly disableAfterMs: number;
  /**
   * Silence that ends a run of failures: whoever was not asked for longer did not fail meanwhile.
   * Longer than the longest pause between two attempts of one delivery.
   */
  readonly silenceMaxMs: number;
  /** Failures in a row from which an endpoint is left alone for a while. */
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

export function afterFailure(
  health: EndpointHealth,
  nowMs: number,
  limits: HealthLimits,
): EndpointHealth {
  const { failures, failingSinceMs, lastFailureMs } = health;
  const goesOn = lastFailureMs !== null && nowMs - lastFailureMs <= limits.silenceMaxMs;
  const count = goesOn ? failures + 1 : 1;
  return {
    failures: count,
    failingSinceMs: goesOn && failingSinceMs !== null ? failingSinceMs : nowMs,
    lastFailureMs: nowMs,
    pausedUntilMs: count < limits.pauseAfterFailures ? 0 : nowMs + pauseMs(count, limits),
  };
}

/** The pause doubles with each failure after it began. */
function pauseMs(failures: number, limits: HealthLimits): number {
  const doublings = Math.min(failures - limits.pauseAfterFailures, 30);
  return Math.min(limits.pauseMaxMs, limits.pauseFirstMs * 2 ** doublings);
}

/** Nothing but failures for so long that going on is of no use. */
export function hasFailedTooLong(
  { failingSinceMs, lastFailureMs }: EndpointHealth,
  limits: HealthLimits,
): boolean {
  if (failingSinceMs === null || lastFailureMs === null) return false;
  return lastFailureMs - failingSinceMs >= limits.disableAfterMs;
}

/** Requests that may be under way at once: one alone finds out whether a pause was enough. */
export function concurrencyOf(health: EndpointHealth, most: number, limits: HealthLimits): number {
  return health.failures >= limits.pauseAfterFailures ? 1 : most;
}
