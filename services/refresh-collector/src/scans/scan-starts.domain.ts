import { inFairOrder } from './fair-order.domain.ts';
import { type PlanRules, tightPages } from './plan-rules.domain.ts';
import type { QueuedRefresh, QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import type { Reservations } from './reservations.domain.ts';

const lastTenth = 0.1;

/**
 * Queued refreshes whose scans start now, beside the active scans and the pages reserved for them. A
 * second scan of an account waits while enough scans run to keep the identities busy: an early start
 * would reserve pages before accounts that arrive later. While an account without a scan waits with
 * an unknown size, what comes after it leaves room for its first page.
 */
export function scansToStart(
  snapshot: QueueSnapshot,
  scans: readonly StartedScan[],
  active: readonly StartedScan[],
  reservations: Reservations,
  rules: PlanRules,
): string[] {
  const { nowMs } = snapshot;
  const busy = new Set(scans.map(({ inventory }) => inventory));
  const ofAccount = countBy(active, ({ accountId }) => accountId);
  const room = tightPages(rules.identities);
  /** Accounts without a scan whose promised refresh needs that room for its first page. */
  const unread = new Set<string>();
  const promised = inFairOrder(snapshot, active, busy).filter((refresh) => {
    const latestMs = refresh.queueDeadlineMs + rules.collectMs;
    if (!reservations.fits(latestMs, refresh.pages)) return false;
    reservations.add(latestMs, refresh.pages);
    if (refresh.isSizeKnown || ofAccount.has(refresh.accountId)) return true;
    if (unread.size === 0) reservations.addAtOnce(room);
    unread.add(refresh.accountId);
    return true;
  });
  const leadMs = leadToStart(snapshot, rules);
  let hasUnread = active.some(({ isSizeKnown }) => !isSizeKnown);
  const start: string[] = [];
  for (const refresh of promised) {
    const count = active.length + start.length;
    if (count >= rules.scansMax) break;
    const own = ofAccount.get(refresh.accountId) ?? 0;
    if (busy.has(refresh.inventory) || own >= rules.scansPerAccountMax) continue;
    const isLate = refresh.queueDeadlineMs - nowMs < leadMs;
    if (!isLate && own > 0 && count >= rules.busyScans) continue;
    const hasRoom = unread.has(refresh.accountId);
    if (hasRoom) reservations.removeAtOnce(room);
    const isMoved = moveUp(reservations, refresh, isLate || !hasUnread, nowMs, rules);
    if (isMoved) unread.delete(refresh.accountId);
    if (hasRoom && unread.size > 0) reservations.addAtOnce(room);
    if (!isMoved) continue;
    hasUnread ||= !refresh.isSizeKnown;
    start.push(refresh.id);
    busy.add(refresh.inventory);
    ofAccount.set(refresh.accountId, own + 1);
  }
  return start;
}

/**
 * From this long before its queue deadline a second scan of an account waits no longer: twice the
 * time in which the first pages of all queued refreshes can be read, at least the last tenth.
 */
function leadToStart({ queued, capacity }: QueueSnapshot, { queueMs, share }: PlanRules): number {
  const firstPagesMs = (queued.length * 60_000) / (share * capacity.pagesPerMinute);
  return Math.max(queueMs * lastTenth, 2 * firstPagesMs);
}

/**
 * Moves a reservation from the latest deadline to that of a start now; false where it does not fit.
 * A scan of unknown size has to fit at the largest size: it can then be completed whatever its first
 * page reports. The only one, and one close to its queue deadline, has to fit at the expected size.
 */
function moveUp(
  reservations: Reservations,
  { queueDeadlineMs, pages, isSizeKnown }: QueuedRefresh,
  fitsAsExpected: boolean,
  nowMs: number,
  { collectMs, pagesMax, identities }: PlanRules,
): boolean {
  const latestMs = queueDeadlineMs + collectMs;
  const deadlineMs = nowMs + collectMs;
  reservations.remove(latestMs, pages);
  const needed = isSizeKnown || fitsAsExpected ? pages : Math.max(pages, pagesMax);
  if (
    !reservations.fits(deadlineMs, needed) ||
    !(isSizeKnown || reservations.fitsAtOnce(tightPages(identities)))
  ) {
    reservations.add(latestMs, pages);
    return false;
  }
  if (isSizeKnown) reservations.add(deadlineMs, pages);
  else reserveUnread(reservations, { deadlineMs, pagesLeft: pages }, { pagesMax });
  return true;
}

/**
 * Reserves the pages of a scan of unknown size: those of the largest size where they fit, else the
 * expected ones. Its first page is read at once, before all reserved pages.
 */
export function reserveUnread(
  reservations: Reservations,
  { deadlineMs, pagesLeft }: Pick<StartedScan, 'deadlineMs' | 'pagesLeft'>,
  { pagesMax }: Pick<PlanRules, 'pagesMax'>,
): void {
  const most = Math.max(pagesLeft, pagesMax);
  const pages = reservations.fits(deadlineMs, most) ? most : pagesLeft;
  reservations.addAtOnce(1);
  reservations.add(deadlineMs, pages - 1);
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
