/** Outages of the platform's item servers are per application and last for hours. */
export interface AppBreaker {
  /** The latest results, newest last; true is a failure. */
  readonly results: readonly boolean[];
  readonly openUntilMs: number;
  readonly openings: number;
}

export const closedBreaker: AppBreaker = { results: [], openUntilMs: 0, openings: 0 };

const windowResults = 20;
const resultsMin = 10;
const failureShare = 0.8;
const openFirstMs = 60_000;
const openMaxMs = 600_000;

/** A third of the calls fails in an ordinary bad hour; that alone must not close admission. */
export function afterResult(breaker: AppBreaker, failed: boolean, nowMs: number): AppBreaker {
  const results = [...breaker.results, failed].slice(-windowResults);
  const failures = results.filter(Boolean).length;
  if (failed && results.length >= resultsMin && failures / results.length >= failureShare) {
    const openMs = Math.min(openMaxMs, openFirstMs * 2 ** Math.min(breaker.openings, 10));
    return { results: [], openUntilMs: nowMs + openMs, openings: breaker.openings + 1 };
  }
  const recovered = !failed && failures === 0 && results.length >= resultsMin;
  return { ...breaker, results, openings: recovered ? 0 : breaker.openings };
}

export function isOpen(breaker: Pick<AppBreaker, 'openUntilMs'>, nowMs: number): boolean {
  return breaker.openUntilMs > nowMs;
}
