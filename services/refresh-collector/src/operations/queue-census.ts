import type { Clock } from '@inventory/runtime/clock';
import type { QueuedAccount } from '../domain/scan-turns.ts';
import type { ClaimedScan, ScanStore } from '../storage/scan-store.ts';
import type { StoredRefresh } from '../storage/stored-refresh.ts';

/**
 * Who waits for a scan. Counting them, and looking for the oldest of an account, takes the store
 * as long as the backlog is; so both are done once in a while, and what this replica sees arrive
 * and claims meanwhile is reckoned in. Every claim is decided by the store all the same.
 */
export interface QueueCensus {
  /** Accounts with queued refreshes, counted at most `ageMaxMs` ago. */
  accounts(): Promise<readonly QueuedAccount[]>;
  /** A refresh that was queued and not started at once. */
  arrived(queued: StoredRefresh): void;
  /** Starts the account's oldest scan that can start now; null when none can. */
  claimNext(accountId: string): Promise<ClaimedScan | null>;
  /** How many wait, as far as is known. */
  readonly waiting: number;
}

interface Waiting {
  readonly oldestQueueDeadlineMs: number;
  queued: number;
  /** The oldest that were not tried yet. */
  candidates: StoredRefresh[];
}

export function createQueueCensus(
  scans: Pick<ScanStore, 'queuedAccounts' | 'oldestQueued' | 'claim'>,
  clock: Clock,
  ageMaxMs: number,
): QueueCensus {
  let countedMs = Number.NEGATIVE_INFINITY;
  let accounts = new Map<string, Waiting>();

  const waiting = () => [...accounts.values()].reduce((sum, { queued }) => sum + queued, 0);

  async function count(): Promise<void> {
    const found = await scans.queuedAccounts();
    countedMs = clock.now();
    accounts = new Map(
      found.map(({ accountId, ...account }) => [accountId, { ...account, candidates: [] }]),
    );
  }

  async function claimOf(candidates: StoredRefresh[]): Promise<ClaimedScan | null> {
    for (let next = candidates.shift(); next; next = candidates.shift()) {
      const claimed = await scans.claim(next);
      if (claimed) return claimed;
    }
    return null;
  }

  return {
    async accounts() {
      if (waiting() === 0 || clock.now() - countedMs >= ageMaxMs) await count();
      return [...accounts].flatMap(([accountId, { oldestQueueDeadlineMs, queued }]) =>
        queued > 0 ? [{ accountId, oldestQueueDeadlineMs, queued }] : [],
      );
    },
    arrived({ refresh: { accountId, queueDeadlineMs } }) {
      const known = accounts.get(accountId);
      if (known && known.queued > 0) known.queued += 1;
      else {
        const alone = { oldestQueueDeadlineMs: queueDeadlineMs, queued: 1, candidates: [] };
        accounts.set(accountId, alone);
      }
    },
    async claimNext(accountId) {
      const account = accounts.get(accountId);
      if (!account) return null;
      let claimed = await claimOf(account.candidates);
      if (!claimed) {
        account.candidates = await scans.oldestQueued(accountId);
        claimed = await claimOf(account.candidates);
      }
      // Those that cannot start now are counted again next time.
      account.queued = claimed ? Math.max(0, account.queued - 1) : 0;
      return claimed;
    },
    get waiting() {
      return waiting();
    },
  };
}
