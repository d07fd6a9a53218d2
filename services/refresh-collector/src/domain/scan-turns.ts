/** An account with refreshes in the queue. */
export interface QueuedAccount {
  readonly accountId: string;
  readonly oldestQueueDeadlineMs: number;
  readonly queued: number;
}

/** The same with what its turn depends on. */
export interface WaitingAccount extends QueuedAccount {
  /** On all replicas. */
  readonly runningScans: number;
  /** When this replica last started a scan of it; 0 when never. */
  readonly lastTurnMs: number;
}

export interface TurnRules {
  readonly scansPerAccountMax: number;
  /** A queue deadline nearer than this goes before turns. */
  readonly urgentMs: number;
}

/**
 * The accounts in the order in which they get the next free scan: whoever is about to miss a
 * deadline first, then in turns, so that a long queue of one account delays no other.
 */
export function accountsInTurn(
  accounts: readonly WaitingAccount[],
  rules: TurnRules,
  nowMs: number,
): WaitingAccount[] {
  const urgent = (account: WaitingAccount) =>
    account.oldestQueueDeadlineMs - nowMs < rules.urgentMs ? 0 : 1;
  return accounts
    .filter((account) => account.runningScans < rules.scansPerAccountMax)
    .toSorted(
      (left, right) =>
        urgent(left) - urgent(right) ||
        left.lastTurnMs - right.lastTurnMs ||
        left.oldestQueueDeadlineMs - right.oldestQueueDeadlineMs ||
        left.accountId.localeCompare(right.accountId),
    );
}

/**
 * How many scans one replica should run: its share of what can run at all, so that the one that
 * hears of new work first does not take all of it.
 */
export function shareOfScans(
  accounts: readonly Pick<WaitingAccount, 'queued' | 'runningScans'>[],
  runningElsewhere: number,
  replicas: number,
  rules: { readonly scansPerAccountMax: number; readonly scansMax: number },
): number {
  const startable = accounts.reduce(
    (sum, { queued, runningScans }) =>
      sum + Math.min(queued + runningScans, Math.max(rules.scansPerAccountMax, runningScans)),
    runningElsewhere,
  );
  return Math.min(rules.scansMax, Math.max(1, Math.ceil(startable / Math.max(1, replicas))));
}

/** Pages that the identities can read in a time, by their rate limits alone. */
export interface Capacity {
  readonly pagesPerSecond: number;
  readonly collectDeadlineMs: number;
}

/** A further scan starts only while what runs fits half of what can be read before its deadline. */
export function mayStartScan(pagesLeftRunning: number, capacity: Capacity): boolean {
  const readable = (capacity.pagesPerSecond * capacity.collectDeadlineMs) / 1000;
  return pagesLeftRunning < readable / 2;
}

/** Pages a running scan still has to read, as far as its first page told. */
export function pagesLeft(
  scan: { readonly pages: number; readonly reportedTotalCount: number | null } | null,
  assetsPerPage: number,
): number {
  if (!scan || scan.reportedTotalCount === null) return 1;
  return Math.max(1, Math.ceil(scan.reportedTotalCount / assetsPerPage) - scan.pages);
}
