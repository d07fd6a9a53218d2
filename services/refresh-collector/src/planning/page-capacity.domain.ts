import {
  type IdentityLimits,
  type IdentityState,
  pausedUntilMs,
} from '../egress/egress-identity.domain.ts';

/** The pages that the egress identities can read until a time. */
export interface PageCapacity {
  /** Expected pages until `timeMs`, by the present state of the identities. */
  until(timeMs: number): number;
  readonly pagesPerMinute: number;
}

/** The capacity that a plan counts on, and what it may turn out to be. */
export type PageCapacities = ReturnType<typeof pageCapacities>;

interface Source {
  readonly weight: number;
  readonly fromMs: number;
  readonly emptyMs: number;
}

/** More failures in a row are no more evidence: pauses have their longest by then. */
const failuresMax = 8;

/**
 * Capacity by the rate limits and pauses of the identities. An identity that failed k times in a row
 * counts 2^-k: it may fail again after its pause. Past its pause each slot that it leaves unused
 * forgives one failure: nothing waits for it, so that nothing else could show that it serves again.
 */
export function pageCapacities(
  identities: readonly IdentityState[],
  limits: IdentityLimits,
  nowMs: number,
) {
  const intervalMs = 60_000 / limits.requestsPerMinute;
  const toleranceMs = (limits.burst - 1) * intervalMs;
  const sourceOf = (identity: IdentityState): Source => {
    const fromMs = Math.max(nowMs, pausedUntilMs(identity));
    return {
      weight: 2 ** -unforgiven(identity, intervalMs, nowMs),
      fromMs,
      emptyMs: Math.max(identity.arrivalMs, fromMs) - toleranceMs,
    };
  };
  const capacityOf = (sources: readonly Source[]): PageCapacity => ({
    until: (timeMs) =>
      sources.reduce((pages, { weight, fromMs, emptyMs }) => {
        if (timeMs < fromMs) return pages;
        return pages + (weight * Math.max(0, timeMs - emptyMs)) / intervalMs;
      }, 0),
    pagesPerMinute: sources.reduce((sum, { weight }) => sum + weight * limits.requestsPerMinute, 0),
  });
  const sources = identities.map(sourceOf);
  return {
    expected: capacityOf(sources),
    /** Every identity serves once its pause is over. */
    hoped: capacityOf(sources.map((source) => ({ ...source, weight: 1 }))),
    /** The earliest end of a pause; now where one has none. */
    servesFromMs: Math.min(...sources.map(({ fromMs }) => fromMs)),
    /** Upper bound until `timeMs`: every identity is free and serves. */
    atMostUntil: (timeMs: number): number =>
      identities.length * (Math.max(0, timeMs - nowMs) / intervalMs + limits.burst),
  };
}

function unforgiven(identity: IdentityState, intervalMs: number, nowMs: number): number {
  const failures = Math.min(failuresMax, identity.refusals + identity.connectFailures);
  const unusedMs = Math.max(0, nowMs - Math.max(pausedUntilMs(identity), identity.arrivalMs));
  return Math.max(0, failures - unusedMs / intervalMs);
}
