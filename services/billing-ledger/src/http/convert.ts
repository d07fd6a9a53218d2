import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type {
  AccountFunds,
  AccountTerms,
  BalanceView,
  StatementPage,
  StatementRow,
  UsageReport,
} from '@inventory/contracts/internal/ledger';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { usedAssets } from '../accounts/account.domain.ts';
import type { Balances } from '../accounts/balances.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { type Period, periodStartMs } from '../accounts/period.domain.ts';
import type { CapStanding } from '../accounts/standing.domain.ts';
import { fundingAsset } from '../accounts/terms.domain.ts';
import type { CurrentStanding } from '../journal/read-standing.ts';
import type { Statement } from '../journal/read-statement.ts';
import type { DayUsage } from '../usage/usage.domain.ts';

/** The asset an account pays with is always shown, others once they were used. */
export function toBalanceView(accountId: AccountId, standing: CurrentStanding): BalanceView {
  const { asOfSeq, funding, balances } = standing;
  const shown = [fundingAsset(funding), ...usedAssets({ balances })];
  return {
    accountId,
    asOfSeq,
    funding: funding.mode,
    balances: ledgerAssets
      .filter((asset) => shown.includes(asset))
      .map((asset) => ({ asset, ...toAmounts(balances[asset]) })),
  };
}

export function toAccountTerms(accountId: AccountId, standing: CurrentStanding): AccountTerms {
  const { alertThreshold } = standing;
  return {
    accountId,
    asOfSeq: standing.asOfSeq,
    funding: toFunding(standing),
    spendCaps: standing.caps.map((one) => toSpendCap(one, standing.period)),
    balanceAlert: alertThreshold === null ? null : { threshold: alertThreshold },
  };
}

export function toAccountFunds(
  accountId: AccountId,
  projectId: ProjectId,
  standing: CurrentStanding,
): AccountFunds {
  const asset = fundingAsset(standing.funding);
  const capped = standing.caps.find((one) => one.projectId === projectId);
  return {
    accountId,
    asOfSeq: standing.asOfSeq,
    asset,
    available: standing.balances[asset].available,
    spendCap: capped ? toSpendCap(capped, standing.period) : null,
  };
}

function toSpendCap(cap: CapStanding, period: Period) {
  return { ...cap, resetsAtMs: periodStartMs(period + 1) };
}

function toFunding({ funding, period, balances }: CurrentStanding): AccountTerms['funding'] {
  if (funding.mode === 'credits') return funding;
  return {
    ...funding,
    period: { startsAtMs: periodStartMs(period), endsAtMs: periodStartMs(period + 1) },
    units: toAmounts(balances.units),
  };
}

function toAmounts({ available, held }: Balances) {
  return { total: available + held, held, available };
}

export function toStatementPage(accountId: AccountId, statement: Statement): StatementPage {
  return {
    items: statement.entries.map((entry) => toStatementRow(accountId, entry)),
    nextAfterSeq: statement.hasMore ? (statement.entries.at(-1)?.seq ?? null) : null,
  };
}

function toStatementRow(accountId: AccountId, entry: Entry): StatementRow {
  const { change, after } = entry;
  return {
    ...entry,
    entryId: `${accountId}/${entry.seq}`,
    changeAvailable: change.available,
    changeHeld: change.held,
    availableAfter: after.available,
    heldAfter: after.held,
    reason: entry.reason ?? entry.refusal?.code ?? null,
  };
}

export function toUsageReport(days: readonly DayUsage[], asOfSeq: number): UsageReport {
  return {
    asOfSeq,
    items: days.flatMap(({ day, projectId, products }) =>
      products.map((product) => ({ day, projectId, ...product })),
    ),
  };
}
