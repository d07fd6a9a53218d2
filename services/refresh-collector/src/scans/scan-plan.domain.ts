import type { PageCapacity } from './page-capacity.domain.ts';
import { type PlanRules, tightPages } from './plan-rules.domain.ts';
import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import { openReservations, type Reservations } from './reservations.domain.ts';
import { reserveUnread, scansToStart } from './scan-starts.domain.ts';

/** The changes to make now, and the figures that follow from the reservations. */
export interface ScanPlan {
  /** Queued refreshes whose scan starts. */
  readonly start: readonly string[];
  /** Parked scans that run again. */
  readonly resume: readonly string[];
  /** Running scans that release their lease. */
  readonly park: readonly string[];
  /** Running scans of known size whose pages are all reserved. */
  readonly reserved: readonly string[];
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
 * Decides which scans start, park and end. A scan starts only where its pages fit beside all running
 * scans, and no start takes the pages that an earlier refresh needs before its own latest deadline.
 * Accounts take turns; within an account the earliest queue deadline is first.
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
  const admitted = scans.filter(({ parked, appId }) => !parked && admits(appId));
  const reservations = openReservations(
    snapshot.capacity,
    nowMs,
    rules.queueMs + rules.collectMs,
    rules.share,
  );
  const running = scansToKeep(admitted, snapshot, reservations, rules);
  const resume = scansToResume(scans, running.length, admits, reservations, rules);
  const urgentUntilMs = reservations.firstTight(tightPages(rules.identities));
  const start = scansToStart(
    { ...snapshot, queued: queued.filter(({ appId }) => admits(appId)) },
    scans,
    [...running, ...resume],
    reservations,
    rules,
  );
  const kept = new Set(running);
  const idsOf = (some: readonly StartedScan[]) => some.map(({ id }) => id);
  return {
    start,
    resume: idsOf(resume),
    park: idsOf(scans.filter((scan) => !scan.parked && !kept.has(scan))),
    reserved: idsOf([...running, ...resume].filter(({ isSizeKnown }) => isSizeKnown)),
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
  return scan.deadlineMs > nowMs && pagesCertain(scan) > capacity.atMostUntil(scan.deadlineMs);
}

/** No scan ends or is parked because of an expected size: until its first page, one page is certain. */
function pagesCertain({ isSizeKnown, pagesLeft }: StartedScan): number {
  return isSizeKnown ? pagesLeft : 1;
}

/**
 * Running scans that continue, with their pages reserved; the others are parked. Reserved pages stay
 * reserved unless capacity was lost. A scan whose first page has just reported more than was reserved
 * for it continues only where that fits beside them, like one that starts.
 */
function scansToKeep(
  running: readonly StartedScan[],
  { capacity }: QueueSnapshot,
  reservations: Reservations,
  rules: PlanRules,
): StartedScan[] {
  const reserved = withoutLargest(
    running.filter(({ isReserved }) => isReserved),
    capacity,
    rules,
  );
  const known = reserved.filter(({ isSizeKnown }) => isSizeKnown);
  for (const scan of known) reservations.add(scan.deadlineMs, scan.pagesLeft);
  const larger = running.filter((scan) => {
    if (scan.isReserved || !reservations.fits(scan.deadlineMs, scan.pagesLeft)) return false;
    reservations.add(scan.deadlineMs, scan.pagesLeft);
    return true;
  });
  const unknown = reserved.filter(({ isSizeKnown }) => !isSizeKnown);
  for (const scan of unknown) reserveUnread(reservations, scan, rules);
  return [...known, ...larger, ...unknown];
}

/** After a loss of capacity, all but the largest of those that no longer fit before a deadline. */
function withoutLargest(
  scans: readonly StartedScan[],
  capacity: PageCapacity,
  { identities }: PlanRules,
): StartedScan[] {
  let kept: StartedScan[] = [];
  let pages = 0;
  for (const scan of scans) {
    kept.push(scan);
    pages += pagesCertain(scan);
    // A page of each identity may be in flight.
    while (pages - Math.min(kept.length, identities) > capacity.until(scan.deadlineMs)) {
      const largest = kept.reduce((most, one) =>
        pagesCertain(one) > pagesCertain(most) ? one : most,
      );
      if (pagesCertain(largest) <= 1) break;
      kept = kept.filter((one) => one !== largest);
      pages -= pagesCertain(largest);
    }
  }
  return kept;
}

/** Parked scans whose pages fit again, the earliest deadline first; their pages are reserved. */
function scansToResume(
  scans: readonly StartedScan[],
  running: number,
  admits: (appId: number) => boolean,
  reservations: Reservations,
  { scansMax }: PlanRules,
): StartedScan[] {
  const resume: StartedScan[] = [];
  for (const scan of scans) {
    if (!scan.parked) continue;
    if (running + resume.length >= scansMax) break;
    if (!reservations.fits(scan.deadlineMs, scan.pagesLeft) || !admits(scan.appId)) continue;
    reservations.add(scan.deadlineMs, scan.pagesLeft);
    resume.push(scan);
  }
  return resume;
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

function sumOf<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + figure(item), 0);
}
