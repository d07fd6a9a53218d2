import type { AccountId } from '@inventory/contracts/ids';
import type { Account } from '../domain/account.ts';
import type { ChainHead } from '../storage/commit-document.ts';

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
  all(): readonly CachedAccount[];
}

export function createAccountCache(accountsMax: number): AccountCache {
  const accounts = new Map<AccountId, CachedAccount>();
  let generation = 0;

  return {
    get(accountId) {
      const found = accounts.get(accountId);
      if (found) {
        accounts.delete(accountId);
        accounts.set(accountId, found);
      }
      return found;
    },
    set(cached) {
      const { accountId } = cached.account;
      accounts.delete(accountId);
      accounts.set(accountId, cached);
      if (accounts.size <= accountsMax) return;
      const [oldest] = accounts.keys();
      if (oldest !== undefined) accounts.delete(oldest);
    },
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
    all: () => [...accounts.values()],
  };
}
