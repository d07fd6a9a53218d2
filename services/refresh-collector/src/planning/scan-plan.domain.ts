import { openAppGate, throughGate } from './app-gate.domain.ts';
import type { OpenPlan } from './fair-order.domain.ts';
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
  /**
   * Pages that fit on top of them before a refresh queued now would have to be completed. While
   * nothing waits, each identity counts in full: what comes then shows whether it serves.
   */
  readonly pagesFree: number;
}

/**
 * Decides which scans start, park and end. A scan starts only where its pages fit beside all running
 * scans, and no start takes the pages that an earlier refresh needs before its own latest deadline.
 * Accounts are round-robin; within an account the earliest queue deadline is first. While anything
 * waits, one scan at least runs: nothing else would show that identities that failed serve again.
 */
export function planScans(snapshot: QueueSnapshot, rules: PlanRules): ScanPlan {
  const { nowMs } = snapshot;
  const late = snapshot.scans.filter(({ deadlineMs }) => deadlineMs <= nowMs);
  const overdue = [...snapshot.queued.overdue(nowMs, overdueMax), ...idsOf(late)];
  const end = idsOf(snapshot.scans.filter((scan) => isHopeless(scan, snapshot)));
  const ended = new Set([...overdue, ...end]);
  const scans = snapshot.scans
    .filter(({ id }) => !ended.has(id))
    .toSorted((left, right) => left.deadlineMs - right.deadlineMs);

  const decide = (capacity: PageCapacity) => scansToRun(snapshot, scans, capacity, rules);
  const expected = decide(snapshot.capacity.expected);
  const chosen = runsNone(expected) ? firstOf(decide(snapshot.capacity.hoped)) : expected;
  const queued = snapshot.queued.sum(snapshot.typicalPages);
  const isIdle = scans.length + queued.refreshes === 0;
  const kept = new Set(chosen.keep);
  const active = [...chosen.keep, ...chosen.resume];
  return {
    start: chosen.start,
    resume: idsOf(chosen.resume),
    park: idsOf(scans.filter((scan) => !scan.parked && !kept.has(scan))),
    reserved: idsOf(
      [...expected.keep, ...expected.resume].filter(({ isSizeKnown }) => isSizeKnown),
    ),
    end,
    overdue,
    urgentUntilMs: expected.urgentUntilMs,
    pagesReserved: pagesLeftOf(active),
    pagesWaiting: pagesLeftOf(scans) + queued.pages,
    pagesFree: (isIdle ? chosen : expected).pagesFree,
  };
}

/** More are ended by the next plans. */
const overdueMax = 1_000;

const pagesLeftOf = (scans: readonly StartedScan[]): number =>
  scans.reduce((sum, { pagesLeft }) => sum + pagesLeft, 0);

const idsOf = (scans: readonly StartedScan[]): string[] => scans.map(({ id }) => id);

interface ScansToRun {
  readonly keep: readonly StartedScan[];
  readonly resume: readonly StartedScan[];
  readonly start: readonly string[];
  readonly urgentUntilMs: number | null;
  readonly pagesFree: number;
}

/** Scans that run under a capacity: those that continue, then parked ones, then queued refreshes. */
function scansToRun(
  snapshot: QueueSnapshot,
  scans: readonly StartedScan[],
  capacity: PageCapacity,
  rules: PlanRules,
): ScansToRun {
  const gate = openAppGate(snapshot.scanAllowance);
  const horizonMs = rules.queueMs + rules.collectMs;
  const reservations = openReservations(capacity, snapshot.nowMs, horizonMs, rules.share);
  const running = throughGate(
    scans.filter(({ parked }) => !parked),
    gate,
  );
  const keep = scansToKeep(running, capacity, reservations, rules);
  const plan: OpenPlan = { snapshot, scans, gate, reservations, rules };
  const resume = scansToResume(keep.length, plan);
  const urgentUntilMs = reservations.firstTight(tightPages(rules.identities));
  const started = scansToStart(plan, [...keep, ...resume]);
  return { keep, resume, urgentUntilMs, ...started };
}

const runsNone = ({ keep, resume, start }: ScansToRun): boolean =>
  keep.length + resume.length + start.length === 0;

/** The one that shows when the identities serve again. */
function firstOf({ keep, resume, start, ...plan }: ScansToRun): ScansToRun {
  const [scan] = keep;
  const [parked] = scan ? [] : resume;
  return {
    ...plan,
    keep: scan ? [scan] : [],
    resume: parked ? [parked] : [],
    start: scan || parked ? [] : start.slice(0, 1),
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
  capacity: PageCapacity,
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
  for (const scan of unknown) reserveUnread(reservations, scan.deadlineMs, scan.pagesLeft, rules);
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
  running: number,
  { scans, gate, reservations, rules }: OpenPlan,
): StartedScan[] {
  const resume: StartedScan[] = [];
  for (const scan of scans) {
    if (!scan.parked || !gate.admits(scan.appId)) continue;
    if (running + resume.length >= rules.scansMax) break;
    if (!reservations.fits(scan.deadlineMs, scan.pagesLeft)) continue;
    reservations.add(scan.deadlineMs, scan.pagesLeft);
    gate.record(scan.appId);
    resume.push(scan);
  }
  return resume;
}
