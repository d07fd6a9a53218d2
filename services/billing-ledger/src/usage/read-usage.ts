import type { AccountId } from '@inventory/contracts/ids';
import { requireIntact } from '../journal/commit-document.ts';
import type { Journal } from '../journal/journal-store.ts';
import {
  addUse,
  type DayUsage,
  dayKeyOf,
  daysOf,
  listDays,
  type UsageByDay,
} from './usage.domain.ts';
import type { UsageSpan, UsageStore } from './usage-store.ts';

/**
 * - `read`: the use of all entries up to `asOfSeq`;
 * - `too_much`: more days and Projects than one report may have;
 * - `outdated`: the roll-ups are being brought up to date.
 */
export type UsageResult =
  | { readonly result: 'read'; readonly days: readonly DayUsage[]; readonly asOfSeq: number }
  | { readonly result: 'too_much' }
  | { readonly result: 'outdated' };

export type ReadUsage = (accountId: AccountId, span: UsageSpan) => Promise<UsageResult>;

const commitsPerRead = 50;

/**
 * Reads the daily roll-ups of a span and adds the entries after their position, so that
 * a report has every entry of the journal and reads a bounded number of them.
 */
export function createReadUsage(deps: {
  readonly journal: Journal;
  readonly usage: UsageStore;
  readonly limits: {
    /** Days of one Project each. */
    readonly daysMax: number;
    /** Entries that are not rolled up yet and are counted for the report. */
    readonly tailMax: number;
  };
}): ReadUsage {
  const { journal, usage, limits } = deps;
  return async (accountId, span) => {
    const position = await usage.findPosition(accountId);
    const stored = await usage.listDays(accountId, span, limits.daysMax + 1);
    if (stored.length > limits.daysMax) return { result: 'too_much' };
    const counted: UsageByDay = new Map(stored.map((day) => [dayKeyOf(day), day]));
    let asOfSeq = position?.throughSeq ?? 0;
    let from = position?.commitId ?? null;
    let tail = 0;
    for (let isThrough = false; !isThrough; ) {
      const page = await journal.readCommits(accountId, from, commitsPerRead);
      const fresh = requireIntact(page.filter(({ firstSeq }) => firstSeq > asOfSeq));
      const entries = fresh.flatMap((commit) => commit.entries);
      for (const entry of entries) if (isWithin(span, entry)) addUse(counted, entry);
      tail += entries.length;
      if (tail > limits.tailMax) return { result: 'outdated' };
      asOfSeq = fresh.at(-1)?.lastSeq ?? asOfSeq;
      from = page.at(-1)?.id ?? from;
      isThrough = page.length < commitsPerRead;
    }
    if (counted.size > limits.daysMax) return { result: 'too_much' };
    return { result: 'read', days: listDays(counted), asOfSeq };
  };
}

function isWithin(span: UsageSpan, entry: Parameters<typeof addUse>[1]): boolean {
  const [use] = daysOf([entry]);
  if (use === undefined) return false;
  const isMeant = span.projectId === null || use.projectId === span.projectId;
  return isMeant && use.day >= span.fromDay && use.day < span.endDay;
}
