import type { AccountId } from '@inventory/contracts/ids';
import type { Funding } from '@inventory/contracts/messages/billing';
import type { Clock } from '@inventory/runtime/clock';
import type { Account } from '../accounts/account.domain.ts';
import { noBalances } from '../accounts/balances.domain.ts';
import { unitsAt } from '../accounts/open-period.domain.ts';
import { type Period, periodOf } from '../accounts/period.domain.ts';
import {
  type CapStanding,
  type Standing,
  spentOf,
  standingOf,
} from '../accounts/standing.domain.ts';
import { prepaid } from '../accounts/terms.domain.ts';
import { requireIntact, type StoredCommit } from './commit-document.ts';
import type { Journal } from './journal-store.ts';
import type { LoadAccount } from './load-account.ts';

/** What an account has and what limits it, now. */
export interface CurrentStanding {
  /** Position of the entry it was read from; 0 before the first. */
  readonly asOfSeq: number;
  readonly funding: Funding;
  readonly balances: Account['balances'];
  /** The present month: that of the units, and of what is spent. */
  readonly period: Period;
  readonly caps: readonly CapStanding[];
  readonly alertThreshold: number | null;
}

export type ReadStanding = (accountId: AccountId) => Promise<CurrentStanding>;

/**
 * One read, of the newest commit; that of an account with many caps is followed by a fold. In a new
 * month the units are those of that month and nothing is spent, although nothing may have been
 * written in it. Rejects with BrokenJournal.
 */
export function createReadStanding({
  journal,
  loadAccount,
  clock,
}: {
  readonly journal: Journal;
  readonly loadAccount: LoadAccount;
  readonly clock: Clock;
}): ReadStanding {
  return async (accountId) => {
    const newest = await journal.findNewestCommit(accountId);
    if (newest === null) return currentStanding(emptyCommit, noStanding, clock.now());
    requireIntact([newest]);
    if (newest.standing !== null) return currentStanding(newest, newest.standing, clock.now());
    const { account } = await loadAccount(accountId);
    const { lastSeq, lastAtMs: atMs, balances } = account;
    const { funding, allowedPeriod } = account.terms;
    const subscription =
      funding.mode === 'credits' ? null : { unitsPerMonth: funding.unitsPerMonth, allowedPeriod };
    return currentStanding(
      { lastSeq, atMs, balances, subscription },
      standingOf(account),
      clock.now(),
    );
  };
}

type Summary = Pick<StoredCommit, 'lastSeq' | 'atMs' | 'balances' | 'subscription'>;

const emptyCommit: Summary = {
  lastSeq: 0,
  atMs: 0,
  balances: { credits: noBalances, units: noBalances },
  subscription: null,
};
const noStanding: Standing = { caps: [], period: 0, alertThreshold: null };

function currentStanding(
  { lastSeq, atMs: lastAtMs, balances, subscription }: Summary,
  standing: Standing,
  now: number,
): CurrentStanding {
  const funding: Funding = subscription
    ? { mode: 'subscription', unitsPerMonth: subscription.unitsPerMonth }
    : prepaid;
  const allowedPeriod = subscription?.allowedPeriod ?? 0;
  const atMs = Math.max(now, lastAtMs);
  const period = periodOf(atMs);
  const units = unitsAt({ units: balances.units, lastAtMs, funding, allowedPeriod }, atMs);
  return {
    asOfSeq: lastSeq,
    funding,
    balances: { credits: balances.credits, units },
    period,
    caps: standing.caps.map((one) => ({ ...one, spent: spentOf(standing, one, period) })),
    alertThreshold: standing.alertThreshold,
  };
}
