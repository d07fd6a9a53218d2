import { type Candidate, inFairOrder, type OpenPlan } from './fair-order.domain.ts';
import type { PlanRules } from './plan-rules.domain.ts';
import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import type { QueuedRefresh } from './queued-refreshes.domain.ts';
import type { Reservations } from './reservations.domain.ts';

const lastTenth = 0.1;

export interface StartedScans {
  /** Ids of queued refreshes. */
  readonly start: readonly string[];
  /** Pages that fit beside everything that waits. */
  readonly pagesFree: number;
}

/** More are not considered in one plan. */
const candidatesMax = 10_000;

/**
 * Queued refreshes whose scans start now. One pass in the fair order: each refresh starts, or its
 * pages are reserved until its latest deadline. It is tested against the running scans and what is
 * ahead of it only, so that no refresh waits for one that comes after it. The pass ends where no
 * further scan can start: its cost follows the starts, not the length of the queue.
 *
 * A second scan of an account waits while enough scans run to keep the identities busy: an early
 * start would reserve pages before accounts that arrive later. While an account without a scan waits
 * with an unknown size, what comes after it leaves capacity for its first page.
 */
export function scansToStart(
  plan: OpenPlan,
  /** Scans that run, with their pages reserved. */
  active: readonly StartedScan[],
): StartedScans {
  const { snapshot, gate, reservations, rules } = plan;
  const queued = snapshot.queued.sum(snapshot.typicalPages, gate.admitsAll);
  const leadMs = leadToStart(queued.refreshes, snapshot, rules);
  const pass = openPass(plan, active);
  const isBlocked = ({ inventory, id, queueDeadlineMs }: QueuedRefresh) =>
    pass.busy.has(inventory) || snapshot.isPostponed(id) || queueDeadlineMs <= snapshot.nowMs;
  let candidates = 0;
  for (const refresh of inFairOrder(plan, active, isBlocked)) {
    candidates += 1;
    const running = active.length + pass.start.length;
    const isFull = running >= rules.scansMax;
    if (isFull || reservations.unreserved < 1 || candidates > candidatesMax) break;
    if (!gate.admits(refresh.appId)) continue;
    if (gate.admitsAll(refresh.appId)) pass.queuedPagesConsidered += refresh.pages;
    const isLate = refresh.queueDeadlineMs - snapshot.nowMs < leadMs;
    const acceptExpectedSize = isLate || !pass.hasScanOfUnknownSize;
    if (
      mayStart(refresh, isLate || running < rules.busyScans, pass, rules) &&
      reserveStart(refresh, acceptExpectedSize, plan)
    ) {
      gate.record(refresh.appId);
      recordStart(refresh, pass);
    } else if (gate.admitsAll(refresh.appId)) reserveForQueued(refresh, pass, plan);
  }
  const pagesLeft = queued.pages - pass.queuedPagesConsidered;
  return { start: pass.start, pagesFree: Math.max(0, reservations.unreserved - pagesLeft) };
}

/** What a pass has decided so far. */
interface Pass {
  readonly start: string[];
  /** Inventories with a started scan. */
  readonly busy: Set<string>;
  /** Scans that run, by account. */
  readonly ofAccount: Map<string, number>;
  /** A scan of unknown size runs. */
  hasScanOfUnknownSize: boolean;
  /** A first page is left to an account without a scan. */
  firstPageReserved: boolean;
  /** Pages of what was considered and may be read. */
  queuedPagesConsidered: number;
}

function openPass({ scans }: OpenPlan, active: readonly StartedScan[]): Pass {
  return {
    start: [],
    busy: new Set(scans.map(({ inventory }) => inventory)),
    ofAccount: countBy(active, ({ accountId }) => accountId),
    hasScanOfUnknownSize: active.some(({ isSizeKnown }) => !isSizeKnown),
    firstPageReserved: false,
    queuedPagesConsidered: 0,
  };
}

function mayStart(
  { accountId, inventory }: Candidate,
  mayBeSecond: boolean,
  { busy, ofAccount }: Pass,
  { scansPerAccountMax }: PlanRules,
): boolean {
  const own = ofAccount.get(accountId) ?? 0;
  if (own >= scansPerAccountMax || busy.has(inventory)) return false;
  return own === 0 || mayBeSecond;
}

function recordStart(refresh: Candidate, pass: Pass): void {
  pass.hasScanOfUnknownSize ||= !refresh.isSizeKnown;
  pass.start.push(refresh.id);
  pass.busy.add(refresh.inventory);
  pass.ofAccount.set(refresh.accountId, (pass.ofAccount.get(refresh.accountId) ?? 0) + 1);
}

/** Reserves its pages until its latest deadline, and a first page for one account without a scan. */
function reserveForQueued(
  { accountId, queueDeadlineMs, pages, isSizeKnown }: Candidate,
  pass: Pass,
  { reservations, rules }: OpenPlan,
): void {
  const latestMs = queueDeadlineMs + rules.collectMs;
  if (!reservations.fits(latestMs, pages)) return;
  reservations.add(latestMs, pages);
  if (pass.firstPageReserved || isSizeKnown || pass.ofAccount.has(accountId)) return;
  reservations.addAtOnce(firstPage);
  pass.firstPageReserved = true;
}

/**
 * From this long before its queue deadline a second scan of an account waits no longer: twice the
 * time in which the first pages of all queued refreshes can be read, at least the last tenth.
 */
function leadToStart(
  queued: number,
  { capacity }: QueueSnapshot,
  { queueMs, share }: PlanRules,
): number {
  const firstPagesMs = (queued * 60_000) / (share * capacity.expected.pagesPerMinute);
  return Math.max(queueMs * lastTenth, 2 * firstPagesMs);
}

/**
 * Reserves the pages of a start now; false where they do not fit. A scan of unknown size has to fit
 * at the largest size: it can then be completed whatever its first page reports. The only one, and
 * one close to its queue deadline, has to fit at the expected size.
 */
function reserveStart(
  { pages, isSizeKnown }: Candidate,
  acceptExpectedSize: boolean,
  { snapshot, reservations, rules }: OpenPlan,
): boolean {
  const deadlineMs = snapshot.nowMs + rules.collectMs;
  const needed = isSizeKnown || acceptExpectedSize ? pages : Math.max(pages, rules.pagesMax);
  if (!reservations.fits(deadlineMs, needed)) return false;
  if (isSizeKnown) reservations.add(deadlineMs, pages);
  else if (reservations.fitsAtOnce(firstPage)) {
    reserveUnread(reservations, deadlineMs, pages, rules);
  } else return false;
  return true;
}

const firstPage = 1;

/**
 * Reserves the pages of a scan of unknown size: those of the largest size where they fit, else the
 * expected ones. Its first page is read at once, before all reserved pages.
 */
export function reserveUnread(
  reservations: Reservations,
  deadlineMs: number,
  pagesLeft: number,
  { pagesMax }: PlanRules,
): void {
  const most = Math.max(pagesLeft, pagesMax);
  const pages = reservations.fits(deadlineMs, most) ? most : pagesLeft;
  reservations.addAtOnce(firstPage);
  reservations.add(deadlineMs, pages - firstPage);
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
