import type { InventorySize } from '../saga/recorded-scan.domain.ts';

/** What the planning replica publishes about the queue and the slots, once a second. */
export interface PublishedPlan {
  readonly atMs: number;
  /** Scans with a deadline up to this time read first; null while none is urgent. */
  readonly urgentUntilMs: number | null;
  /** Part of the slots reserved for live pages and retries. */
  readonly liveShare: number;
  /** Pages a minute that scans can count on. */
  readonly pagesPerMinute: number;
  /** The same if every identity serves after its pause. */
  readonly pagesPerMinuteHoped: number;
  /** From then on an identity may serve; now where one is not paused. */
  readonly servesFromMs: number;
  /** Pages that running scans still have to read. */
  readonly pagesReserved: number;
  /** Pages that are expected to be read for queued refreshes and started scans together. */
  readonly pagesWaiting: number;
  /** Pages that fit on top of them before a refresh queued now would have to be completed. */
  readonly pagesFree: number;
  /** Pages that one scan can read between the latest start of a refresh queued now and its deadline. */
  readonly scanPagesMax: number;
  /** Expected pages of an inventory without a saved observation. */
  readonly typicalPages: number;
  readonly replicas: number;
  /** Pages left of running scans that one replica has, so that all have their part. */
  readonly pagesPerReplica: number;
  /** Running scans that are larger than expected and have all pages reserved, for the next planner. */
  readonly reserved: readonly string[];
  /** Accounts with a queued refresh or a started scan. */
  readonly accounts: number;
  /** Those of them with most pages, and how many. */
  readonly busiest: readonly AccountPages[];
}

export interface AccountPages {
  readonly accountId: string;
  readonly refreshes: number;
  readonly pages: number;
}

/** Used until a replica has planned: it refuses nothing. */
export const noPlan: PublishedPlan = {
  atMs: 0,
  urgentUntilMs: null,
  liveShare: 0.05,
  pagesPerMinute: 0,
  pagesPerMinuteHoped: 0,
  servesFromMs: 0,
  pagesReserved: 0,
  pagesWaiting: 0,
  pagesFree: 0,
  scanPagesMax: 0,
  typicalPages: 10,
  replicas: 1,
  pagesPerReplica: 0,
  reserved: [],
  accounts: 0,
  busiest: [],
};

/** Older plans are ignored, and what a clock wrote that is as far ahead. */
const ageMaxMs = 30_000;

export function isCurrent(plan: PublishedPlan, nowMs: number): boolean {
  return Math.abs(nowMs - plan.atMs) <= ageMaxMs;
}

/** How long a size refuses refreshes: then a first page is read that shows whether it still holds. */
export const sizeHoldsMs = 600_000;

/** Whatever clock recorded it: one that is far ahead proves nothing. */
export function isRecentSize({ scannedMs }: InventorySize, nowMs: number): boolean {
  return Math.abs(nowMs - scannedMs) < sizeHoldsMs;
}

/**
 * Pages to expect of an inventory; null where nothing is known of it. A size that no scan can read in
 * time is forgotten soon: a total may be absurd, pages may have been small for a day, and inventories
 * shrink.
 */
export function expectedPagesOf(
  size: InventorySize | null,
  plan: PublishedPlan,
  nowMs: number,
): number | null {
  if (size === null) return null;
  const isTooLarge = isCurrent(plan, nowMs) && size.pages > plan.scanPagesMax;
  return isTooLarge && !isRecentSize(size, nowMs) ? null : size.pages;
}

const retrySecondsMax = 1_800;

/** What was admitted since the plan was made and is not contained in it. */
export interface Demand {
  readonly accountId: string;
  /** Of the refresh itself: known of its inventory, or typical. */
  readonly pages: number;
  readonly accountPagesSince: number;
  readonly pagesSince: number;
  /** Recently refused accounts without a refresh in the plan; a part is reserved for each. */
  readonly accountsRefused: number;
}

/**
 * `all`: no refresh queued now could be completed in time. `account`: none of this account. `scan`:
 * no scan can read more than `pagesMax` pages in time.
 */
export type NoCapacity = { readonly retryAfterSeconds: number } & (
  | { readonly full: 'all' | 'account' }
  | { readonly full: 'scan'; readonly pagesMax: number }
);

/**
 * Why one more refresh is not expected to complete in time; null when it is: its pages fit beside all
 * waiting ones before the latest deadline that it may get, and one scan can read them between its
 * latest start and that deadline.
 */
export function missingCapacity(plan: PublishedPlan, demand: Demand): NoCapacity | null {
  const { pages } = demand;
  const { pagesFree, pagesWaiting } = plan;
  if (pages > plan.scanPagesMax) {
    const retryAfterSeconds = sizeHoldsMs / 1_000;
    return { full: 'scan', pagesMax: plan.scanPagesMax, retryAfterSeconds };
  }
  const own = plan.busiest.find(({ accountId }) => accountId === demand.accountId)?.pages ?? 0;
  const ownPages = own + demand.accountPagesSince;
  const others = Math.max(0, plan.accounts - Number(own > 0)) + demand.accountsRefused;
  const part = (pagesWaiting + pagesFree) / (others + 1);
  const over = ownPages + pages - part;
  if (others > 0 && ownPages > 0 && over > 0) {
    return { full: 'account', retryAfterSeconds: secondsFor(over, plan) };
  }
  const missing = pages - (pagesFree - demand.pagesSince);
  if (missing <= 0) return null;
  return { full: 'all', retryAfterSeconds: secondsFor(missing, plan) };
}

/** Until these pages are read if the identities serve after their pauses. */
function secondsFor(
  pages: number,
  { atMs, servesFromMs, pagesPerMinuteHoped }: PublishedPlan,
): number {
  if (pagesPerMinuteHoped <= 0) return retrySecondsMax;
  const waitMs = Math.max(0, servesFromMs - atMs) + (pages * 60_000) / pagesPerMinuteHoped;
  return Math.min(retrySecondsMax, Math.max(1, Math.ceil(waitMs / 1_000)));
}

/**
 * When this many pages of an account are expected to have been read while accounts are
 * round-robin page by page; null when there is no estimate.
 */
export function expectedReadMs(
  plan: PublishedPlan,
  accountId: string,
  pages: number,
  nowMs: number,
): number | null {
  if (!isCurrent(plan, nowMs) || plan.pagesPerMinute <= 0) return null;
  const others = plan.busiest.filter((other) => other.accountId !== accountId);
  const unlisted = Math.max(0, plan.accounts - plan.busiest.length);
  const least = others.at(-1)?.pages ?? 0;
  const ahead = others.reduce((sum, other) => sum + Math.min(other.pages, pages), 0);
  const all = pages + ahead + unlisted * Math.min(least, pages);
  return nowMs + (all * 60_000) / plan.pagesPerMinute;
}

/** Pages that the refreshes of an account have on average, as far as the plan knows of them. */
export function meanPagesOf({ busiest, typicalPages }: PublishedPlan, accountId: string): number {
  const account = busiest.find((other) => other.accountId === accountId);
  return account ? account.pages / account.refreshes : typicalPages;
}
