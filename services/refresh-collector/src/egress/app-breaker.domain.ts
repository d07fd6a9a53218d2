/** The result of the latest page of one inventory. */
export interface InventoryResult {
  readonly scopeKey: string;
  readonly accountId: string;
  readonly failed: boolean;
  readonly atMs: number;
}

/** An opened breaker. Outages of the platform's item servers last for hours. */
export interface AppOpening {
  readonly openedAtMs: number;
  /** Until then only single probes are sent. */
  readonly openUntilMs: number;
  /** Openings in a row; each lasts twice as long. */
  readonly openings: number;
  /** When the next probe is sent. */
  readonly probeAtMs: number;
}

export type BreakerState = 'closed' | 'open' | 'half_open';

const windowMax = 10;
const failingToOpen = 8;
/** Results of one account in the window among others. */
const resultsPerAccount = 5;
const resultsMax = 3 * windowMax;
const resultAgeMaxMs = 600_000;
const openFirstMs = 60_000;
const openMaxMs = 600_000;
const probeEveryMs = 30_000;
/** Clocks that differ a little make a wait longer, up to so many times the longest. */
const clockFactor = 2;

/**
 * The results with one more, newest last. Only the latest of an inventory counts, and none older
 * than ten minutes: the last result of an idle account is not evidence of the present.
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
  return failsMostly(newest(results, windowMax, resultsPerAccount));
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
  const selected: InventoryResult[] = [];
  for (const result of results.toReversed()) {
    const own = selected.filter(({ accountId }) => accountId === result.accountId).length;
    if (own < perAccount && selected.length < max) selected.unshift(result);
  }
  return selected;
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

/** Past its time a breaker is half open: the first probe with a response closes it. */
export function breakerState(opening: AppOpening | null, nowMs: number): BreakerState {
  if (opening === null) return 'closed';
  return opening.openUntilMs > nowMs ? 'open' : 'half_open';
}

/** When the next probe is sent if the present one has no response. */
export function nextProbeMs(nowMs: number): number {
  return nowMs + probeEveryMs;
}

/** A probe that waits longer is due. */
export function probeWaitsUntilMs(nowMs: number): number {
  return nowMs + clockFactor * probeEveryMs;
}

/**
 * An opening by the clock of its reader. A wait twice as long as any was written by a clock that was
 * ahead: it is over, and the next request is a probe.
 */
export function openingAt(stored: AppOpening, nowMs: number): AppOpening {
  const { openUntilMs, probeAtMs } = stored;
  return {
    ...stored,
    openUntilMs: openUntilMs > nowMs + clockFactor * openMaxMs ? nowMs : openUntilMs,
    probeAtMs: probeAtMs > probeWaitsUntilMs(nowMs) ? nowMs : probeAtMs,
  };
}

/** How many scans of an application may read: all, one as the probe, or none. */
export type ScanAllowance = 'all' | 'one' | 'none';

/** Longest time of a probe; its scan holds its lease meanwhile. */
const probeMaxMs = 25_000;

export function scanAllowance(opening: AppOpening | null, nowMs: number): ScanAllowance {
  if (opening === null) return 'all';
  const sentAtMs = opening.probeAtMs - probeEveryMs;
  const isSent = sentAtMs !== opening.openedAtMs && nowMs < sentAtMs + probeMaxMs;
  return isSent || nowMs >= opening.probeAtMs ? 'one' : 'none';
}
