import type { AccountId } from '@inventory/contracts/ids';
import { Bug } from '@inventory/runtime/bug';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { AccountCache, CachedAccount } from '../journal/account-cache.ts';
import type { RollUpUsage } from '../usage/roll-up-usage.ts';
import type { SnapshotStore } from './snapshot-store.ts';

const savesAtOnce = 4;

/** Writes what is derived from accounts that are being written: snapshots and usage roll-ups. */
export function createSnapshotSaver(deps: {
  readonly cache: AccountCache;
  readonly snapshots: SnapshotStore;
  readonly rollUpUsage: RollUpUsage;
  /** A snapshot is due when an account is this many entries past its last one. */
  readonly everyEntries: number;
  readonly logger: Logger;
}) {
  const { cache, everyEntries, logger } = deps;
  const due = new Map<AccountId, CachedAccount>();

  async function save(saved: CachedAccount): Promise<void> {
    await deps.snapshots.saveSnapshot(saved);
    const { accountId, lastSeq } = saved.account;
    const current = cache.get(accountId);
    if (current) cache.set({ ...current, snapshotSeq: lastSeq });
  }

  async function rollUp(accountId: AccountId): Promise<void> {
    try {
      await deps.rollUpUsage(accountId);
    } catch (error) {
      if (!(error instanceof Bug)) throw error;
      // One account whose journal or use is corrupt keeps no other from being saved.
      logger.error({ err: error, accountId }, 'usage roll-up failed');
    }
  }

  return {
    /** Remembers the account when its snapshot has become due. */
    noteCommit(cached: CachedAccount): void {
      const { account, snapshotSeq } = cached;
      if (account.lastSeq - snapshotSeq >= everyEntries) due.set(account.accountId, cached);
    },
    /** Saves what is due. */
    async saveDue(): Promise<void> {
      const batch = [...due.values()];
      due.clear();
      await forEachLimited(batch, savesAtOnce, async (saved) => {
        await save(saved);
        await rollUp(saved.account.accountId);
      });
    },
    /** Saves every cached account that is past its snapshot, as far as the time goes. */
    async saveAll(timeMaxMs: number): Promise<void> {
      const startMs = monotonicNow();
      const unsaved = cache
        .all()
        .filter(({ account, snapshotSeq }) => account.lastSeq > snapshotSeq);
      await forEachLimited(unsaved, savesAtOnce, async (cached) => {
        if (elapsedSince(startMs) < timeMaxMs) await save(cached);
      });
    },
  };
}
