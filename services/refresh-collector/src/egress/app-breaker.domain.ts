/** How the latest page of one of the latest inventories went. */
export interface InventoryResult {
  readonly scopeKey: string;
  readonly accountId: string;
  readonly failed: boolean;
  readonly atMs: number;
}

/** A breaker that is not closed. Outages of the platform's item servers last for hours. */
export interface AppOpening {
  readonly openedAtMs: number;
  /** Until then the application is left alone, but for single probes. */
  readonly openUntilMs: number;
  /** Openings in a row; each lasts twice as long. */
  readonly openings: number;
  /** When the next request is let through, to see whether the servers are back. */
  readonly probeAtMs: number;
}

export type BreakerState = 'closed' | 'open' | 'half_open';

const windowMax = 10;
const failingToOpen = 8;
/** Places in the window of one account among others. */
const placesPerAccount = 5;
const resultsMax = 3 * windowMax;
const resultAgeMaxMs = 600_000;
const openFirstMs = 60_000;
const openMaxMs = 600_000;
const probeEveryMs = 30_000;

/**
 * The results with one more, newest last. Of an inventory only the latest counts, and none of ten
 * minutes ago: what an idle account met then says nothing about now.
 */
export function withResult(
  results: readonly InventoryResult[],
  result: InventoryResult,
): readonly InventoryResult[] {
  const others = results.filter(
    ({ scopeKey, atMs }) => scopeKey !== result.scopeKey && atMs > result.atMs - resultAgeMaxMs,
  );
  return newest([...others, result], resultsMax, windowMax);
}

/**
 * Whether nearly all of the latest inventories fail. Counted by inventory, because in an ordinary
 * bad hour one call in three fails; and over accounts, because an outage fails all of them: one
 * account alone never fills the window.
 */
export function isOutage(results: readonly InventoryResult[]): boolean {
  return failsMostly(newest(results, windowMax, placesPerAccount));
}

/** Whether it is one where this account is the only one of the deployment. */
export function isOutageOf(results: readonly InventoryResult[], accountId: string): boolean {
  const isAlone = results.every((result) => result.accountId === accountId);
  return isAlone && failsMostly(newest(results, windowMax, windowMax));
}

function failsMostly(results: readonly InventoryResult[]): boolean {
  return results.filter(({ failed }) => failed).length >= failingToOpen;
}

function newest(
  results: readonly InventoryResult[],
  max: number,
  perAccount: number,
): readonly InventoryResult[] {
  const kept: InventoryResult[] = [];
  for (const result of results.toReversed()) {
    const own = kept.filter(({ accountId }) => accountId === result.accountId).length;
    if (own < perAccount && kept.length < max) kept.unshift(result);
  }
  return kept;
}

/** Opens a closed breaker, or one again whose probe failed. */
export function opened(previous: AppOpening | null, nowMs: number): AppOpening {
  const before = previous?.openings ?? 0;
  const openMs = Math.min(openMaxMs, openFirstMs * 2 ** Math.min(before, 10));
  return {
    openedAtMs: nowMs,
    openUntilMs: nowMs + openMs,
    openings: before + 1,
    probeAtMs: nextProbeMs(nowMs),
  };
}

/** After its time a breaker is half open: it closes with the first probe that is answered. */
export function breakerState(opening: AppOpening | null, nowMs: number): BreakerState {
  if (opening === null) return 'closed';
  return opening.openUntilMs > nowMs ? 'open' : 'half_open';
}

/** When another request is let through, should the probe of now bring no answer. */
export function nextProbeMs(nowMs: number): number {
  return nowMs + probeEveryMs;
}

/** How many scans of an application may read: all, one to probe it, or none. */
export type AppReads = 'all' | 'one' | 'none';

/** A probe takes no longer than this; its scan keeps its lease meanwhile. */
const probeMaxMs = 25_000;

export function readsOf(opening: AppOpening | null, nowMs: number): AppReads {
  if (opening === null) return 'all';
  const sentAtMs = opening.probeAtMs - probeEveryMs;
  const isSent = sentAtMs > opening.openedAtMs && nowMs < sentAtMs + probeMaxMs;
  return isSent || nowMs >= opening.probeAtMs ? 'one' : 'none';
}
