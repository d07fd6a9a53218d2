/** Outages of the platform's item servers are per application and last for hours. */
export interface AppBreaker {
  /** How the latest page of each of the latest inventories went, newest last. */
  readonly inventories: readonly InventoryResult[];
  readonly openUntilMs: number;
  readonly openings: number;
}

export interface InventoryResult {
  readonly scopeKey: string;
  readonly failed: boolean;
}

export const closedBreaker: AppBreaker = { inventories: [], openUntilMs: 0, openings: 0 };

const inventoriesMax = 10;
const failingToOpen = 8;
const openFirstMs = 60_000;
const openMaxMs = 600_000;

/**
 * Opens when nearly all of the latest inventories fail. Counted by inventory: the tries of one
 * broken account say nothing about the others, and in an ordinary bad hour one call in three fails.
 */
export function afterResult(
  breaker: AppBreaker,
  result: InventoryResult,
  nowMs: number,
): AppBreaker {
  const others = breaker.inventories.filter(({ scopeKey }) => scopeKey !== result.scopeKey);
  const inventories = [...others, result].slice(-inventoriesMax);
  const failing = inventories.filter(({ failed }) => failed).length;
  if (result.failed && failing >= failingToOpen) {
    const openMs = Math.min(openMaxMs, openFirstMs * 2 ** Math.min(breaker.openings, 10));
    return { inventories: [], openUntilMs: nowMs + openMs, openings: breaker.openings + 1 };
  }
  const recovered = failing === 0 && inventories.length === inventoriesMax;
  return { ...breaker, inventories, openings: recovered ? 0 : breaker.openings };
}

export function isOpen(breaker: Pick<AppBreaker, 'openUntilMs'>, nowMs: number): boolean {
  return breaker.openUntilMs > nowMs;
}
