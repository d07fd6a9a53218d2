import type { AccountId } from '@inventory/contracts/ids';
import { type Entry, entryKeys } from '../accounts/entry.domain.ts';

/**
 * Journaled entries by the command keys they answer. It saves a refused append when a command
 * is repeated soon; an entry never changes, so a cached one is never stale.
 */
export interface RecentEntries {
  find(accountId: AccountId, key: string): Entry | undefined;
  /** The account that was written longest ago makes room, then the oldest entries. */
  add(accountId: AccountId, entries: readonly Entry[]): void;
}

export function createRecentEntries(keysMax: number): RecentEntries {
  const accounts = new Map<AccountId, Map<string, Entry>>();
  let size = 0;

  function makeRoom(): void {
    for (const [accountId, oldest] of accounts) {
      if (size <= keysMax) return;
      if (accounts.size === 1) {
        dropOldest(oldest);
        return;
      }
      accounts.delete(accountId);
      size -= oldest.size;
    }
  }

  function dropOldest(entries: Map<string, Entry>): void {
    for (const key of entries.keys()) {
      if (size <= keysMax) return;
      entries.delete(key);
      size -= 1;
    }
  }

  return {
    find: (accountId, key) => accounts.get(accountId)?.get(key),
    add(accountId, added) {
      const own = accounts.get(accountId) ?? new Map<string, Entry>();
      size -= own.size;
      for (const entry of added) for (const key of entryKeys(entry)) own.set(key, entry);
      size += own.size;
      accounts.delete(accountId);
      accounts.set(accountId, own);
      makeRoom();
    },
  };
}
