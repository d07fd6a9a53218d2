import type { AccountId } from '@inventory/contracts/ids';
import { type Entry, entryKeys } from '../domain/entry.ts';

/**
 * Journaled entries by the command keys they answer. It saves a refused append when a command
 * comes again soon; an entry never changes, so what is here never becomes wrong.
 */
export interface RecentEntries {
  find(accountId: AccountId, key: string): Entry | undefined;
  add(accountId: AccountId, entries: readonly Entry[]): void;
}

export function createRecentEntries(keysMax: number): RecentEntries {
  const entries = new Map<string, Entry>();
  return {
    find: (accountId, key) => entries.get(`${accountId} ${key}`),
    add(accountId, added) {
      for (const entry of added) {
        for (const key of entryKeys(entry)) entries.set(`${accountId} ${key}`, entry);
      }
      for (const oldest of entries.keys()) {
        if (entries.size <= keysMax) break;
        entries.delete(oldest);
      }
    },
  };
}
