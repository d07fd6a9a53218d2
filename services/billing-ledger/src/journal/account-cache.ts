import type { AccountId } from '@inventory/contracts/ids';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { LedgerAccount } from '../accounts/account.domain.ts';
import type { ChainHead } from './commit-document.ts';

/** An account as this replica wrote it last: current unless another replica wrote since. */
export interface CachedAccount {
  readonly account: LedgerAccount;
  readonly head: ChainHead;
  /** Position of its newest snapshot known here; 0 when there is none. */
  readonly snapshotSeq: number;
}

/** The accounts this replica wrote last; the least recently used one is dropped. */
export type AccountCache = ReturnType<typeof createAccountCache>;

export function createAccountCache(accountsMax: number) {
  const accounts = createRecentlyUsed<AccountId, CachedAccount>(accountsMax);
  let generation = 0;

  return {
    get: (accountId: AccountId): CachedAccount | undefined => accounts.get(accountId),
    set: (cached: CachedAccount): void => void accounts.set(cached.account.accountId, cached),
    drop: (accountId: AccountId): void => void accounts.delete(accountId),
    dropAll(): void {
      generation += 1;
      accounts.clear();
    },
    get size(): number {
      return accounts.size;
    },
    /** Changes when everything is dropped: what was read before must not come back after. */
    get generation(): number {
      return generation;
    },
    /** Least recently used first. */
    all: (): readonly CachedAccount[] => accounts.dump().map(([, { value }]) => value),
  };
}
