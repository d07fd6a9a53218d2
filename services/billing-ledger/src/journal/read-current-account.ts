import type { AccountId } from '@inventory/contracts/ids';
import type { AccountFunds, AccountTerms, BalanceView } from '@inventory/contracts/internal/ledger';
import type { FundingSetting } from '@inventory/contracts/messages/billing';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import type { Clock } from '@inventory/runtime/clock';
import { type LedgerAccount, usedAssets } from '../accounts/account.domain.ts';
import {
  type AccountLimits,
  type CapUse,
  limitsOf,
  noLimits,
  spentOf,
} from '../accounts/account-limits.domain.ts';
import { type Balances, noBalances } from '../accounts/balances.domain.ts';
import { unitsAt } from '../accounts/open-period.domain.ts';
import { type Period, periodOf, periodStartMs } from '../accounts/period.domain.ts';
import type { Buyer } from '../accounts/spend.domain.ts';
import { fundingAsset, prepaid } from '../accounts/terms.domain.ts';
import { type CommitSummary, requireIntact, subscriptionOf } from './commit-document.ts';
import type { Journal } from './journal-store.ts';
import type { LoadAccount } from './load-account.ts';

/** What an account has and what limits it, now. */
export interface CurrentAccount {
  /** Position of the entry it was read from; 0 before the first. */
  readonly asOfSeq: number;
  readonly funding: FundingSetting;
  readonly balances: LedgerAccount['balances'];
  /** The present month: that of the units, and of what is spent. */
  readonly period: Period;
  readonly caps: readonly CapUse[];
  readonly alertThreshold: number | null;
}

export type ReadCurrentAccount = (accountId: AccountId) => Promise<CurrentAccount>;

/**
 * One read, of the newest commit; that of an account with many caps is followed by a fold. In a new
 * month the units are those of that month and nothing is spent, although nothing may have been
 * written in it. Rejects with BrokenJournal.
 */
export function createReadCurrentAccount({
  journal,
  loadAccount,
  clock,
}: {
  readonly journal: Journal;
  readonly loadAccount: LoadAccount;
  readonly clock: Clock;
}): ReadCurrentAccount {
  return async (accountId) => {
    const newest = await journal.findNewestCommit(accountId);
    if (newest === null) return currentAccount(emptyCommit, noLimits, clock.now());
    requireIntact([newest]);
    if (newest.limits !== null) return currentAccount(newest, newest.limits, clock.now());
    const { account } = await loadAccount(accountId);
    const { lastSeq, lastAtMs: atMs, balances } = account;
    const summary = { lastSeq, atMs, balances, subscription: subscriptionOf(account.terms) };
    return currentAccount(summary, limitsOf(account), clock.now());
  };
}

const emptyCommit: CommitSummary = {
  lastSeq: 0,
  atMs: 0,
  balances: { credits: noBalances, units: noBalances },
  subscription: null,
};

function currentAccount(
  { lastSeq, atMs: lastAtMs, balances, subscription }: CommitSummary,
  limits: AccountLimits,
  now: number,
): CurrentAccount {
  const funding: FundingSetting = subscription
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
    caps: limits.caps.map((one) => ({ ...one, spent: spentOf(limits, one, period) })),
    alertThreshold: limits.alertThreshold,
  };
}

/** The asset an account pays with is always shown, others once they were used. */
export function balanceViewOf(accountId: AccountId, current: CurrentAccount): BalanceView {
  const { asOfSeq, funding, balances } = current;
  const shown = [fundingAsset(funding), ...usedAssets(balances)];
  return {
    accountId,
    asOfSeq,
    funding: funding.mode,
    balances: ledgerAssets
      .filter((asset) => shown.includes(asset))
      .map((asset) => ({ asset, ...amountsOf(balances[asset]) })),
  };
}

export function termsOf(accountId: AccountId, current: CurrentAccount): AccountTerms {
  const { alertThreshold } = current;
  return {
    accountId,
    asOfSeq: current.asOfSeq,
    funding: shownFunding(current),
    ...spendCapsOf(current),
    balanceAlert: alertThreshold === null ? null : { threshold: alertThreshold },
  };
}

export function fundsOf(
  accountId: AccountId,
  { projectId, credentialId }: Buyer,
  current: CurrentAccount,
): AccountFunds {
  const { spendCaps, credentialSpendCaps } = spendCapsOf(current);
  const asset = fundingAsset(current.funding);
  return {
    accountId,
    asOfSeq: current.asOfSeq,
    asset,
    available: current.balances[asset].available,
    spendCap: spendCaps.find((one) => one.projectId === projectId) ?? null,
    credentialSpendCap:
      credentialSpendCaps.find((one) => one.credentialId === credentialId) ?? null,
  };
}

/** The caps of Projects, and those of Credentials. */
function spendCapsOf({ caps, period }: CurrentAccount) {
  const resetsAtMs = periodStartMs(period + 1);
  return {
    spendCaps: caps.flatMap((one) => ('projectId' in one ? [{ ...one, resetsAtMs }] : [])),
    credentialSpendCaps: caps.flatMap((one) =>
      'projectId' in one ? [] : [{ ...one, resetsAtMs }],
    ),
  };
}

function shownFunding({ funding, period, balances }: CurrentAccount): AccountTerms['funding'] {
  if (funding.mode === 'credits') return funding;
  return {
    ...funding,
    period: { startsAtMs: periodStartMs(period), endsAtMs: periodStartMs(period + 1) },
    units: amountsOf(balances.units),
  };
}

function amountsOf({ available, held }: Balances) {
  return { total: available + held, held, available };
}
