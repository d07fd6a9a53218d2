import type { AccountId } from '@inventory/contracts/ids';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { Account } from '../accounts/account.domain.ts';
import type { ChainHead } from './commit-document.ts';

/** An account as this replica wrote it last: current unless another replica wrote since. */
export interface CachedAccount {
  readonly account: Account;
  readonly head: ChainHead;
  /** Position of its newest snapshot known here; 0 when there is none. */
  readonly snapshotSeq: number;
}

/** The accounts this replica wrote last; the longest unused one makes room. */
export interface AccountCache {
  get(accountId: AccountId): CachedAccount | undefined;
  set(cached: CachedAccount): void;
  drop(accountId: AccountId): void;
  dropAll(): void;
  readonly size: number;
  /** Changes when everything is dropped: what was read before must not come back after. */
  readonly generation: number;
  /** Least recently used first. */
  all(): readonly CachedAccount[];
}

export function createAccountCache(accountsMax: number): AccountCache {
  const accounts = createRecentlyUsed<AccountId, CachedAccount>(accountsMax);
  let generation = 0;

  return {
    get: (accountId) => accounts.get(accountId),
    set: (cached) => void accounts.set(cached.account.accountId, cached),
    drop: (accountId) => void accounts.delete(accountId),
    dropAll() {
      generation += 1;
      accounts.clear();
    },
    get size() {
      return accounts.size;
    },
    get generation() {
      return generation;
    },
    all: () => accounts.dump().map(([, { value }]) => value),
  };
}
