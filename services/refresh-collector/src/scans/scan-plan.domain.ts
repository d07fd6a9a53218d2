import type { IdentityLimits } from '../egress/egress-identity.domain.ts';
import { inFairOrder } from './fair-order.domain.ts';
import type { QueuedRefresh, QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import { openReservations, type Reservations } from './reservations.domain.ts';

export interface PlanRules {
  /** Longest time of collecting: the deadline that a scan gets when it starts. */
  readonly collectMs: number;
  /** Longest time in the queue. */
  readonly queueMs: number;
  /** Scans that keep every identity busy; more run only for accounts without a scan. */
  readonly busyScans: number;
  /** Fewer unreserved pages than this before a deadline make the scans due by then urgent. */
  readonly tightPages: number;
  /** Most scans at once, over all replicas. */
  readonly scansMax: number;
  readonly scansPerAccountMax: number;
  /** Part of the capacity that scans may reserve; the rest is for live pages and retries. */
  readonly share: number;
  /** Pages reserved for a scan of unknown size until its first page is read. */
  readonly unknownPages: number;
}

/** The changes to make now, and the figures that follow from the reservations. */
export interface ScanPlan {
  /** Queued refreshes whose scan starts. */
  readonly start: readonly string[];
  /** Parked scans that run again. */
  readonly resume: readonly string[];
  /** Running scans that release their lease. */
  readonly park: readonly string[];
  /** Started scans that can no longer be completed in time. */
  readonly end: readonly string[];
  /** Queued refreshes and scans past their deadline. */
  readonly overdue: readonly string[];
  /** Scans with a deadline up to this time read before all others; null while none is urgent. */
  readonly urgentUntilMs: number | null;
  /** Pages that running scans still have to read. */
  readonly pagesReserved: number;
  /** Pages that are expected to be read for queued refreshes and started scans together. */
  readonly pagesWaiting: number;
  /** Pages that fit on top of them before a refresh queued now would have to be completed. */
  readonly pagesFree: number;
}

/**
 * Scans that keep every identity busy: an identity reads one page at a time, and between two pages
 * of a scan its rate mostly makes it wait. Twice as many as read at the same moment.
 */
export function busyScans(
  identities: number,
  { requestsPerMinute }: Pick<IdentityLimits, 'requestsPerMinute'>,
  pageMs: number,
): number {
  const readingAtOnce = identities * Math.min(1, (requestsPerMinute * pageMs) / 60_000);
  return Math.ceil(2 * readingAtOnce) + 1;
}

/** In this last part of its queue time a refresh starts beyond the number of busy scans. */
const lastTenth = 0.1;

/**
 * Decides which scans start, park and end. A scan starts only where its pages fit beside all running
 * scans, and no start takes the pages that an earlier refresh needs before its own latest deadline. Accounts take turns; within an account the earliest queue deadline is first.
 */
export function planScans(snapshot: QueueSnapshot, rules: PlanRules): ScanPlan {
  const { nowMs } = snapshot;
  const overdue = [
    ...snapshot.queued.filter(({ queueDeadlineMs }) => queueDeadlineMs <= nowMs),
    ...snapshot.scans.filter(({ deadlineMs }) => deadlineMs <= nowMs),
  ].map(({ id }) => id);
  const end = snapshot.scans.filter((scan) => isHopeless(scan, snapshot)).map(({ id }) => id);
  const ended = new Set([...overdue, ...end]);
  const scans = snapshot.scans
    .filter(({ id }) => !ended.has(id))
    .toSorted((left, right) => left.deadlineMs - right.deadlineMs);
  const queued = snapshot.queued.filter(({ id }) => !ended.has(id));

  const admits = appFilter(snapshot);
  const park = scansToPark(scans, snapshot, admits);
  const running = scans.filter(({ id, parked }) => !parked && !park.has(id));
  const horizonMs = rules.queueMs + rules.collectMs;
  const reservations = openReservations(snapshot.capacity, nowMs, horizonMs, rules.share);
  for (const scan of running) reservations.add(scan.deadlineMs, pagesReservedFor(scan, rules));

  const resume: StartedScan[] = [];
  for (const scan of scans) {
    if (!scan.parked) continue;
    if (running.length + resume.length >= rules.scansMax) break;
    if (!reservations.fits(scan.deadlineMs, scan.pagesLeft) || !admits(scan.appId)) continue;
    reservations.add(scan.deadlineMs, scan.pagesLeft);
    resume.push(scan);
  }
  const urgentUntilMs = reservations.firstTight(rules.tightPages);
  const start = startsOf(
    { ...snapshot, queued: queued.filter(({ appId }) => admits(appId)) },
    scans,
    [...running, ...resume],
    reservations,
    rules,
  );
  return {
    start,
    resume: resume.map(({ id }) => id),
    park: [...park],
    end,
    overdue,
    urgentUntilMs,
    pagesReserved: sumOf([...running, ...resume], ({ pagesLeft }) => pagesLeft),
    pagesWaiting: sumOf(scans, ({ pagesLeft }) => pagesLeft) + sumOf(queued, ({ pages }) => pages),
    pagesFree: reservations.unreserved,
  };
}

/** More pages left than can be read by its deadline at full capacity. */
function isHopeless(scan: StartedScan, { capacity, nowMs }: QueueSnapshot): boolean {
  return scan.deadlineMs > nowMs && scan.pagesLeft > capacity.atMostUntil(scan.deadlineMs);
}

/**
 * Scans to park: those of applications whose breaker is open and, after a loss of capacity, the
 * largest of those that no longer fit before a deadline. Earliest deadline first.
 */
function scansToPark(
  scans: readonly StartedScan[],
  { capacity }: QueueSnapshot,
  admits: (appId: number) => boolean,
): Set<string> {
  const park = new Set<string>();
  let running: StartedScan[] = [];
  let pages = 0;
  for (const scan of scans) {
    if (scan.parked) continue;
    if (!admits(scan.appId)) {
      park.add(scan.id);
      continue;
    }
    running.push(scan);
    pages += scan.pagesLeft;
    // One page of each may be in flight.
    while (pages - running.length > capacity.until(scan.deadlineMs)) {
      const largest = running.reduce((most, one) => (one.pagesLeft > most.pagesLeft ? one : most));
      if (largest.pagesLeft <= 1) break;
      park.add(largest.id);
      running = running.filter(({ id }) => id !== largest.id);
      pages -= largest.pagesLeft;
    }
  }
  return park;
}

/** Admits any number of scans of an application, one as its probe, or none. */
function appFilter({ scanAllowance }: QueueSnapshot): (appId: number) => boolean {
  const probed = new Set<number>();
  return (appId) => {
    const allowance = scanAllowance(appId);
    if (allowance !== 'one') return allowance === 'all';
    const isFirst = !probed.has(appId);
    probed.add(appId);
    return isFirst;
  };
}

function startsOf(
  snapshot: QueueSnapshot,
  scans: readonly StartedScan[],
  active: readonly StartedScan[],
  reservations: Reservations,
  rules: PlanRules,
): string[] {
  const { nowMs } = snapshot;
  const busy = new Set(scans.map(({ inventory }) => inventory));
  const promised = inFairOrder(snapshot, active, busy).filter((refresh) => {
    const latestMs = refresh.queueDeadlineMs + rules.collectMs;
    if (!reservations.fits(latestMs, refresh.pages)) return false;
    reservations.add(latestMs, refresh.pages);
    return true;
  });
  let unknown = active.filter(({ isSizeKnown }) => !isSizeKnown).length;
  const ofAccount = countBy(active, ({ accountId }) => accountId);
  const start: string[] = [];
  for (const refresh of promised) {
    if (active.length + start.length >= rules.scansMax) break;
    const own = ofAccount.get(refresh.accountId) ?? 0;
    if (busy.has(refresh.inventory) || own >= rules.scansPerAccountMax) continue;
    const isLate = refresh.queueDeadlineMs - nowMs < rules.queueMs * lastTenth;
    if (!isLate && own > 0 && active.length + start.length >= rules.busyScans) continue;
    if (!moveUp(reservations, refresh, unknown > 0, nowMs, rules)) continue;
    if (!refresh.isSizeKnown) unknown += 1;
    start.push(refresh.id);
    busy.add(refresh.inventory);
    ofAccount.set(refresh.accountId, own + 1);
  }
  return start;
}

/**
 * Moves a reservation from the latest deadline to that of a start now; false where it does not fit.
 * A scan of unknown size has to fit at its largest, unless it is the only one: several large ones
 * would take each other's pages.
 */
function moveUp(
  reservations: Reservations,
  { queueDeadlineMs, pages, isSizeKnown }: QueuedRefresh,
  isAnotherUnknown: boolean,
  nowMs: number,
  { collectMs, unknownPages }: PlanRules,
): boolean {
  const latestMs = queueDeadlineMs + collectMs;
  const deadlineMs = nowMs + collectMs;
  const mostPages = isSizeKnown ? pages : Math.max(pages, unknownPages);
  reservations.remove(latestMs, pages);
  const fitted = [mostPages, ...(isAnotherUnknown ? [] : [pages])].find((needed) =>
    reservations.fits(deadlineMs, needed),
  );
  if (fitted === undefined) reservations.add(latestMs, pages);
  else reservations.add(deadlineMs, fitted);
  return fitted !== undefined;
}

function pagesReservedFor(
  { isSizeKnown, pagesLeft }: StartedScan,
  { unknownPages }: PlanRules,
): number {
  return isSizeKnown ? pagesLeft : Math.max(pagesLeft, unknownPages);
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

function sumOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0);
}
