import {
  type IdentityLimits,
  type IdentityState,
  pausedUntilMs,
} from '../egress/egress-identity.domain.ts';

/** The pages that the egress identities can read until a time. */
export interface PageCapacity {
  /** Expected pages until `timeMs`, by the present state of the identities. */
  until(timeMs: number): number;
  /** Upper bound until `timeMs`: every identity rested and served. */
  atMostUntil(timeMs: number): number;
  readonly pagesPerMinute: number;
}

/**
 * Capacity by the rate limits and pauses of the identities. An identity that failed k times in a row
 * counts 2^-k until it is served again: it may fail again after its pause.
 */
export function pageCapacity(
  identities: readonly IdentityState[],
  limits: IdentityLimits,
  nowMs: number,
): PageCapacity {
  const intervalMs = 60_000 / limits.requestsPerMinute;
  const toleranceMs = (limits.burst - 1) * intervalMs;
  const sources = identities.map((identity) => {
    const fromMs = Math.max(nowMs, pausedUntilMs(identity));
    return {
      weight: 2 ** -(identity.refusals + identity.connectFailures),
      fromMs,
      emptyMs: Math.max(identity.arrivalMs, fromMs) - toleranceMs,
    };
  });
  return {
    until: (timeMs) =>
      sources.reduce((pages, { weight, fromMs, emptyMs }) => {
        if (timeMs < fromMs) return pages;
        return pages + (weight * Math.max(0, timeMs - emptyMs)) / intervalMs;
      }, 0),
    atMostUntil: (timeMs) =>
      identities.length * (Math.max(0, timeMs - nowMs) / intervalMs + limits.burst),
    pagesPerMinute: sources.reduce((sum, { weight }) => sum + weight * limits.requestsPerMinute, 0),
  };
}
