import type { QueuedRefresh, QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';

interface Candidate {
  readonly refresh: QueuedRefresh;
  /** Pages of its account that are read by its end: running scans, those before it, its own. */
  readonly pagesOfAccount: number;
}

/**
 * Accounts in turns, by pages: an account whose pages are no more than its part of the capacity is
 * before what exceeds the part of another. Within an account by queue deadline; refreshes whose
 * inventory has another scan come last.
 */
export function inFairOrder(
  { queued, lastStartMs }: QueueSnapshot,
  active: readonly StartedScan[],
  busy: ReadonlySet<string>,
): QueuedRefresh[] {
  const pages = new Map<string, number>();
  const add = (accountId: string, more: number) => {
    const sum = (pages.get(accountId) ?? 0) + more;
    pages.set(accountId, sum);
    return sum;
  };
  for (const { accountId, pagesLeft } of active) add(accountId, pagesLeft);
  const taken = new Set(busy);
  const byDeadline = queued
    .toSorted(
      (left, right) => left.queueDeadlineMs - right.queueDeadlineMs || order(left.id, right.id),
    )
    .map((refresh) => {
      const isBlocked = taken.has(refresh.inventory);
      taken.add(refresh.inventory);
      return { refresh, isBlocked };
    })
    .toSorted((left, right) => Number(left.isBlocked) - Number(right.isBlocked));
  const candidates: Candidate[] = byDeadline.map(({ refresh }) => ({
    refresh,
    pagesOfAccount: add(refresh.accountId, refresh.pages),
  }));
  const lastStart = ({ refresh }: Candidate) => lastStartMs(refresh.accountId) ?? 0;
  return candidates
    .toSorted(
      (left, right) =>
        left.pagesOfAccount - right.pagesOfAccount || lastStart(left) - lastStart(right),
    )
    .map(({ refresh }) => refresh);
}

const order = (left: string, right: string): number => (left < right ? -1 : Number(left > right));
