import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Account } from '../domain/account.ts';
import { noBalances } from '../domain/balances.ts';
import { type Funding, prepaid } from '../domain/funding.ts';
import { unitsAt } from '../domain/open-period.ts';
import type { StoredCommit } from '../storage/commit-document.ts';
import type { Journal } from '../storage/journal.ts';

/** What an account has now. */
export interface CurrentBalances {
  /** Position of the entry it was read from; 0 before the first. */
  readonly asOfSeq: number;
  readonly funding: Funding;
  readonly balances: Account['balances'];
}

export type ReadBalances = (accountId: AccountId) => Promise<CurrentBalances>;

/**
 * One read, of the newest commit. In a new month the units are those of that month, although
 * nothing may have been written in it.
 */
export function createReadBalances(
  journal: Pick<Journal, 'findNewestCommit'>,
  clock: Clock,
): ReadBalances {
  return async (accountId) => {
    const newest = await journal.findNewestCommit(accountId);
    if (newest === null) return nothing;
    return { asOfSeq: newest.lastSeq, ...balancesOf(newest, clock.now()) };
  };
}

const nothing: CurrentBalances = {
  asOfSeq: 0,
  funding: prepaid,
  balances: { credits: noBalances, units: noBalances },
};

function balancesOf(newest: StoredCommit, now: number): Omit<CurrentBalances, 'asOfSeq'> {
  const { balances, at: lastAt, subscription } = newest;
  const funding: Funding = subscription
    ? { mode: 'subscription', unitsPerMonth: subscription.unitsPerMonth }
    : prepaid;
  const allowedPeriod = subscription?.allowedPeriod ?? 0;
  const at = Math.max(now, lastAt);
  const units = unitsAt({ units: balances.units, lastAt, funding, allowedPeriod }, at);
  return { funding, balances: { credits: balances.credits, units } };
}
