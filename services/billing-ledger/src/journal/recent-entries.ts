import type { AccountId } from '@inventory/contracts/ids';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import { type Entry, entryKeys } from '../accounts/entry.domain.ts';

/**
 * Journaled entries by their command keys. It saves a refused append when a command
 * is repeated soon; an entry never changes, so a cached one is never stale.
 */
export type RecentEntries = ReturnType<typeof createRecentEntries>;

export function createRecentEntries(keysMax: number) {
  const entries = createRecentlyUsed<string, Entry>(keysMax);
  const idOf = (accountId: AccountId, key: string) => `${accountId} ${key}`;
  return {
    find: (accountId: AccountId, key: string): Entry | undefined =>
      entries.get(idOf(accountId, key)),
    /** The least recently used are dropped. */
    add(accountId: AccountId, added: readonly Entry[]): void {
      for (const entry of added) {
        for (const key of entryKeys(entry)) entries.set(idOf(accountId, key), entry);
      }
    },
  };
}
