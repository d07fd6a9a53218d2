import { isDeepStrictEqual } from 'node:util';
import type { AccountId } from '@inventory/contracts/ids';
import type { Entry } from '../accounts/entry.domain.ts';
import { addUse, type DayUsage, dayKeyOf, daysOf, type UsageByDay } from '../usage/usage.domain.ts';
import type { StoredDayUsage, UsageStore } from '../usage/usage-store.ts';
import { createPeekQueue, type PeekQueue } from './peek-queue.ts';

/** What is rolled up of an account. */
export interface AccountUsage {
  /** Its stored days, in order. */
  readonly days: PeekQueue<DayUsage>;
  /** Every use up to this entry is counted in some stored day. */
  readonly rolledUpSeq: number;
}

/** Compares the daily roll-ups of one account with its entries, day by day. */
export function startUsageCheck(
  { days, rolledUpSeq }: AccountUsage,
  report: (seq: number | null, problem: string) => void,
) {
  let day = -1;
  let stored = new Map<string, DayUsage>();
  let counted: UsageByDay = new Map();
  let throughSeq = rolledUpSeq;
  const waiting: DayUsage[] = [];

  function closeDay(lastSeq: number): void {
    for (const [key, expected] of counted) {
      if (!stored.has(key)) report(expected.throughSeq, 'usage roll-up missing');
    }
    for (const [key, found] of stored) {
      if (found.throughSeq > lastSeq) continue;
      const expected = counted.get(key);
      if (expected === undefined || !isSame(expected, found)) {
        report(found.throughSeq, 'usage roll-up does not match the entries');
      }
    }
  }

  async function readNext(): Promise<void> {
    const read = await days.take();
    if (read === null) return;
    throughSeq = Math.max(throughSeq, read.throughSeq);
    waiting.push(read);
  }

  async function openDay(next: number): Promise<void> {
    day = next;
    stored = new Map();
    counted = new Map();
    for (;;) {
      if (waiting.length === 0) await readNext();
      const [read] = waiting;
      if (read === undefined || read.day > day) return;
      waiting.shift();
      if (read.day < day) report(read.throughSeq, 'usage roll-up without entries');
      else stored.set(dayKeyOf(read), read);
    }
  }

  return {
    /** The entries of an account in order. */
    async add(entry: Entry): Promise<void> {
      const [key] = daysOf([entry]);
      if (key === undefined || key.day < day) return;
      if (key.day > day) {
        closeDay(Number.POSITIVE_INFINITY);
        await openDay(key.day);
      }
      const upTo = stored.get(dayKeyOf(key))?.throughSeq ?? rolledUpSeq;
      if (entry.seq <= upTo) addUse(counted, entry);
    },
    /** The newest entry that the position or a day read so far counts. */
    throughSeq: (): number => throughSeq,
    /** Reads the days after the last entry; what is rolled up later is not among them. */
    async readAll(): Promise<void> {
      while ((await days.peek()) !== null) await readNext();
    },
    /** After the last entry; a day that counts more than that is left out. */
    finish(lastSeq: number): void {
      closeDay(lastSeq);
      for (const usage of waiting) {
        if (usage.throughSeq <= lastSeq) report(usage.throughSeq, 'usage roll-up without entries');
      }
    },
  };
}

function isSame(left: DayUsage, right: DayUsage): boolean {
  return left.throughSeq === right.throughSeq && isDeepStrictEqual(left.products, right.products);
}

const positionsPerRead = 1_000;

/**
 * The position of an account is read before its days: a roll-up writes its days first, so that each
 * day that a position counts is found.
 */
export function openUsageScan(usage: UsageStore) {
  const positions = new Map<AccountId, number>();

  async function* readPages(): AsyncGenerator<StoredDayUsage> {
    for (let after: AccountId | null = null; ; ) {
      const page = await usage.listPositions(after, positionsPerRead);
      for (const { accountId, throughSeq } of page) positions.set(accountId, throughSeq);
      const last: AccountId | null = page[positionsPerRead - 1]?.accountId ?? null;
      yield* usage.scanDays({ after, upTo: last });
      if (last === null) return;
      after = last;
    }
  }

  const days = createPeekQueue(readPages());
  return {
    /** Passes what is rolled up of accounts before this one; of all when null. */
    async skipTo(
      accountId: AccountId | null,
      onSkipped: (owner: AccountId, throughSeq: number) => Promise<void>,
    ): Promise<void> {
      const isBefore = (owner: AccountId) => accountId === null || owner < accountId;
      const skipped = new Map<AccountId, number>();
      const skip = (owner: AccountId, throughSeq: number) =>
        skipped.set(owner, Math.max(skipped.get(owner) ?? 0, throughSeq));
      for (let next = await days.peek(); next; next = await days.peek()) {
        if (!isBefore(next.accountId)) break;
        await days.take();
        skip(next.accountId, next.throughSeq);
      }
      for (const [owner, throughSeq] of positions) {
        if (!isBefore(owner)) break;
        positions.delete(owner);
        skip(owner, throughSeq);
      }
      for (const [owner, throughSeq] of skipped) await onSkipped(owner, throughSeq);
    },
    /** Of the account that was skipped to. */
    of(accountId: AccountId): AccountUsage {
      const rolledUpSeq = positions.get(accountId) ?? 0;
      positions.delete(accountId);
      return { rolledUpSeq, days: daysOfAccount(days, accountId) };
    },
  };
}

/** The days in a queue that are of one account. */
function daysOfAccount(days: PeekQueue<StoredDayUsage>, accountId: AccountId): PeekQueue<DayUsage> {
  const isNext = async () => (await days.peek())?.accountId === accountId;
  return {
    peek: async () => ((await isNext()) ? days.peek() : null),
    take: async () => ((await isNext()) ? days.take() : null),
  };
}
