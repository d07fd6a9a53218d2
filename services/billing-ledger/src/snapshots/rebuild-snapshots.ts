import type { AccountId } from '@inventory/contracts/ids';
import type { Logger } from '@inventory/runtime/logger';
import type { AccountCache } from '../journal/account-cache.ts';
import { isBroken } from '../journal/commit-document.ts';
import type { LoadedAccount, LoadPart } from '../journal/load-account.ts';
import type { Quarantine } from '../journal/quarantine.ts';
import type { RunLeased } from '../run-leased.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/**
 * Folds an account up to the end of its journal and saves its snapshot after each part, so that
 * whatever ends it, the next one continues there. Rejects as {@link LoadPart} does.
 */
export type BringUpToDate = (accountId: AccountId, signal: AbortSignal) => Promise<LoadedAccount>;

export function createBringUpToDate({
  loadPart,
  snapshots,
}: {
  readonly loadPart: LoadPart;
  readonly snapshots: SnapshotStore;
}): BringUpToDate {
  return async (accountId, signal) => {
    for (let from: LoadedAccount | null = null; ; ) {
      signal.throwIfAborted();
      const { loaded, isWhole } = await loadPart(accountId, from);
      if (loaded.account.lastSeq > loaded.snapshotSeq) await snapshots.saveSnapshot(loaded);
      if (isWhole) return loaded;
      from = loaded;
    }
  };
}

/** The accounts whose commands wait until their snapshot is rebuilt. */
export type SnapshotRebuilds = ReturnType<typeof createSnapshotRebuilds>;

export function createSnapshotRebuilds(deps: {
  readonly bringUpToDate: BringUpToDate;
  readonly cache: AccountCache;
  readonly quarantine: Quarantine;
  readonly runLeased: RunLeased;
  readonly logger: Logger;
}) {
  const { cache, logger } = deps;
  const waiting = new Set<AccountId>();
  let onAdded = (): void => {};

  async function rebuild(accountId: AccountId, signal: AbortSignal): Promise<void> {
    const { generation } = cache;
    try {
      const { account, head } = await deps.bringUpToDate(accountId, signal);
      if (generation === cache.generation && !cache.get(accountId)) {
        cache.set({ account, head, snapshotSeq: account.lastSeq });
      }
      logger.info({ accountId, seq: account.lastSeq }, 'snapshot rebuilt');
    } catch (error) {
      if (!isBroken(error)) throw error;
      await deps.quarantine.add(accountId, error.message);
    }
  }

  return {
    has: (accountId: AccountId): boolean => waiting.has(accountId),
    add(accountId: AccountId): void {
      if (waiting.has(accountId)) return;
      waiting.add(accountId);
      logger.warn({ accountId }, 'no usable snapshot: the commands of the account wait');
      onAdded();
    },
    /** Calls back when there is one more to rebuild. */
    onAdded(callback: () => void): void {
      onAdded = callback;
    },
    /** Rebuilds them one after the other; those that another replica rebuilds are tried again. */
    async run(): Promise<void> {
      for (const accountId of waiting) {
        const work = async (signal: AbortSignal) => {
          await rebuild(accountId, signal);
          waiting.delete(accountId);
        };
        await deps.runLeased('snapshot rebuild', work, accountId);
      }
    },
    get size(): number {
      return waiting.size;
    },
  };
}
