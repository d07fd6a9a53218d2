/** What the planning replica publishes about the queue and the slots, once a second. */
export interface PublishedPlan {
  readonly atMs: number;
  /** Scans with a deadline up to this time read first; null while none is urgent. */
  readonly urgentUntilMs: number | null;
  /** Part of the slots reserved for live pages and retries. */
  readonly liveShare: number;
  /** Pages a minute that scans can count on. */
  readonly pagesPerMinute: number;
  /** Pages that running scans still have to read. */
  readonly pagesReserved: number;
  /** Pages that are expected to be read for queued refreshes and started scans together. */
  readonly pagesWaiting: number;
  /** Pages that fit on top of them before a refresh queued now would have to be completed. */
  readonly pagesFree: number;
  /** Expected pages of an inventory without a saved observation. */
  readonly typicalPages: number;
  readonly replicas: number;
  /** Scans that one replica takes, so that all have their part. */
  readonly scansPerReplica: number;
  /** Accounts with a queued refresh or a started scan. */
  readonly accounts: number;
  /** Those of them with most pages, and how many. */
  readonly busiest: readonly AccountPages[];
}

export interface AccountPages {
  readonly accountId: string;
  readonly pages: number;
}

/** Used until a replica has planned: it refuses nothing. */
export const noPlan: PublishedPlan = {
  atMs: 0,
  urgentUntilMs: null,
  liveShare: 0.05,
  pagesPerMinute: 0,
  pagesReserved: 0,
  pagesWaiting: 0,
  pagesFree: 0,
  typicalPages: 10,
  replicas: 1,
  scansPerReplica: 1,
  accounts: 0,
  busiest: [],
};

/** Older plans are ignored. */
const ageMaxMs = 30_000;

export function isCurrent(plan: PublishedPlan, nowMs: number): boolean {
  return nowMs - plan.atMs <= ageMaxMs;
}

/** What was admitted since the plan was made and is not contained in it. */
export interface Demand {
  readonly accountId: string;
  readonly accountPagesSince: number;
  readonly pagesSince: number;
  /** Recently refused accounts without a refresh in the plan; a part is reserved for each. */
  readonly accountsRefused: number;
}

/** `all`: no refresh queued now could be completed in time. `account`: none of this account. */
export interface NoCapacity {
  readonly full: 'all' | 'account';
  readonly retryAfterSeconds: number;
}

/** Why one more refresh is not expected to complete in time; null when it is. */
export function missingCapacity(plan: PublishedPlan, demand: Demand): NoCapacity | null {
  const { typicalPages, pagesFree, pagesWaiting, pagesPerMinute } = plan;
  const own = plan.busiest.find(({ accountId }) => accountId === demand.accountId)?.pages ?? 0;
  const ownPages = own + demand.accountPagesSince;
  const others = Math.max(0, plan.accounts - Number(own > 0)) + demand.accountsRefused;
  const part = (pagesWaiting + pagesFree) / (others + 1);
  const over = ownPages + typicalPages - part;
  if (others > 0 && ownPages > 0 && over > 0) {
    return { full: 'account', retryAfterSeconds: secondsFor(over, pagesPerMinute) };
  }
  const missing = typicalPages - (pagesFree - demand.pagesSince);
  if (missing <= 0) return null;
  return { full: 'all', retryAfterSeconds: secondsFor(missing, pagesPerMinute) };
}

const retrySecondsMax = 1_800;

function secondsFor(pages: number, pagesPerMinute: number): number {
  const seconds = pagesPerMinute > 0 ? (pages * 60) / pagesPerMinute : retrySecondsMax;
  return Math.min(retrySecondsMax, Math.max(1, Math.ceil(seconds)));
}

/**
 * When this many pages of an account, read in turns with the other accounts, are expected to have
 * been read; null when there is no estimate.
 */
export function expectedReadMs(plan: PublishedPlan, pages: number, nowMs: number): number | null {
  if (!isCurrent(plan, nowMs) || plan.pagesPerMinute <= 0) return null;
  const ownPerMinute = plan.pagesPerMinute / Math.max(1, plan.accounts);
  return nowMs + (pages * 60_000) / ownPerMinute;
}
