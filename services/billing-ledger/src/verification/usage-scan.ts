import type { AccountId } from '@inventory/contracts/ids';
import type { DayUsage } from '../usage/usage.domain.ts';
import type { StoredDayUsage, UsageStore } from '../usage/usage-store.ts';
import { createPeekQueue, type PeekQueue } from './peek-queue.ts';

export interface AccountUsage {
  readonly rolledUpSeq: number;
  /** In order. */
  readonly days: PeekQueue<DayUsage>;
}

/** The roll-ups of all accounts, read in the order of the accounts. */
export interface UsageScan {
  /** Passes the days of accounts before this one; of all when null. */
  skipTo(
    accountId: AccountId | null,
    onSkipped: (day: StoredDayUsage) => Promise<void>,
  ): Promise<void>;
  /** Of the account that was skipped to. */
  of(accountId: AccountId): AccountUsage;
}

const positionsPerRead = 1_000;

/**
 * The position of an account is read before its days: a roll-up writes its days first, so that each
 * day that a position counts is found.
 */
export function openUsageScan(usage: Pick<UsageStore, 'listPositions' | 'scanDays'>): UsageScan {
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
    async skipTo(accountId, onSkipped) {
      const isBefore = (owner: AccountId) => accountId === null || owner < accountId;
      for (let next = await days.peek(); next; next = await days.peek()) {
        if (!isBefore(next.accountId)) break;
        await days.take();
        await onSkipped(next);
      }
      for (const owner of positions.keys()) {
        if (!isBefore(owner)) break;
        positions.delete(owner);
      }
    },
    of: (accountId) => ({
      rolledUpSeq: positions.get(accountId) ?? 0,
      days: daysOf(days, accountId),
    }),
  };
}

/** The part of a queue that is of one account. */
function daysOf(days: PeekQueue<StoredDayUsage>, accountId: AccountId): PeekQueue<DayUsage> {
  const isNext = async () => (await days.peek())?.accountId === accountId;
  return {
    peek: async () => ((await isNext()) ? days.peek() : null),
    take: async () => ((await isNext()) ? days.take() : null),
  };
}
