import type { AccountId } from '@inventory/contracts/ids';
import type { Entry } from '../accounts/entry.domain.ts';
import { requireIntact } from '../journal/commit-document.ts';
import type { Journal } from '../journal/journal-store.ts';
import { addUse, type DayUsage, dayKeyOf, daysOf, type UsageByDay } from './usage.domain.ts';
import type { UsageStore } from './usage-store.ts';

/** Counts the use of an account's newest entries in its days. Rejects with BrokenJournal. */
export type RollUpUsage = (accountId: AccountId) => Promise<void>;

const commitsPerRead = 20;

/**
 * From the position on, page by page: 1. read the days that the entries count for; 2. write them,
 * each with the position of its newest entry, by compare-and-set; 3. advance the position. A crash
 * or another replica in between repeats a page: a day skips the entries it has counted.
 */
export function createRollUpUsage({
  journal,
  usage,
}: {
  readonly journal: Journal;
  readonly usage: UsageStore;
}): RollUpUsage {
  return async (accountId) => {
    for (;;) {
      const position = await usage.findPosition(accountId);
      const from = position?.commitId ?? null;
      const page = await journal.readCommits(accountId, from, commitsPerRead);
      // Begins with the commit of the position.
      const fresh = requireIntact(
        page.filter(({ firstSeq }) => firstSeq > (position?.throughSeq ?? 0)),
      );
      const last = fresh.at(-1);
      if (last === undefined) return;
      const entries = fresh.flatMap((commit) => commit.entries);
      if (!(await countEntries(usage, accountId, entries))) continue;
      await usage.advancePosition(accountId, { commitId: last.id, throughSeq: last.lastSeq });
      if (page.length < commitsPerRead) return;
    }
  };
}

/** False when another replica changed a day meanwhile. */
async function countEntries(
  usage: UsageStore,
  accountId: AccountId,
  entries: readonly Entry[],
): Promise<boolean> {
  const keys = daysOf(entries);
  if (keys.length === 0) return true;
  const stored = await usage.findDays(accountId, keys);
  const before = new Map(stored.map((day): [string, DayUsage] => [dayKeyOf(day), day]));
  const after: UsageByDay = new Map(before);
  for (const entry of entries) addUse(after, entry);
  const changes = [...after.values()]
    .map((day) => ({ before: before.get(dayKeyOf(day)) ?? null, after: day }))
    .filter((change) => change.before !== change.after);
  return changes.length === 0 || (await usage.saveDays(accountId, changes));
}
