import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type {
  AccountFunds,
  AccountTerms,
  BalanceView,
  HoldList,
  NewPriceList,
  PriceSchedule,
  QuarantineList,
  StatementPage,
  StatementRow,
  UsageReport,
  VerifyReport,
} from '@inventory/contracts/internal/ledger';
import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { fromIsoTime, isoTime } from '@inventory/runtime/clock';
import { usedAssets } from '../accounts/account.domain.ts';
import type { Balances } from '../accounts/balances.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { type Period, periodStartMs } from '../accounts/period.domain.ts';
import type { CapStanding } from '../accounts/standing.domain.ts';
import { fundingAsset } from '../accounts/terms.domain.ts';
import type { QuarantinedAccount } from '../journal/quarantine-store.ts';
import type { CurrentStanding } from '../journal/read-standing.ts';
import type { Statement } from '../journal/read-statement.ts';
import type { PriceBook, WantedPriceList } from '../prices/price-list.domain.ts';
import { toPriceListView } from '../prices/price-list-mapping.ts';
import type { AccountHold, OldHolds } from '../snapshots/old-holds.ts';
import { type DayUsage, dayMs } from '../usage/usage.domain.ts';
import type { VerificationRecord } from '../verification/verification-store.ts';

/** The asset an account pays with is always shown, others once they were used. */
export function toBalanceView(accountId: AccountId, standing: CurrentStanding): BalanceView {
  const { asOfSeq, funding, balances } = standing;
  const shown = [fundingAsset(funding), ...usedAssets({ balances })];
  return {
    account_id: accountId,
    as_of_seq: asOfSeq,
    funding: funding.mode,
    balances: ledgerAssets
      .filter((asset) => shown.includes(asset))
      .map((asset) => ({ asset, ...toAmounts(balances[asset]) })),
  };
}

export function toAccountTerms(accountId: AccountId, standing: CurrentStanding): AccountTerms {
  const { alertThreshold } = standing;
  return {
    account_id: accountId,
    as_of_seq: standing.asOfSeq,
    funding: toFunding(standing),
    spend_caps: standing.caps.map((one) => toSpendCap(one, standing.period)),
    balance_alert: alertThreshold === null ? null : { threshold: alertThreshold },
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
    account_id: accountId,
    as_of_seq: standing.asOfSeq,
    asset,
    available: standing.balances[asset].available,
    spend_cap: capped ? toSpendCap(capped, standing.period) : null,
  };
}

function toSpendCap({ projectId, cap, spent }: CapStanding, period: Period) {
  const resetsAt = isoTime(periodStartMs(period + 1));
  return { project_id: projectId, cap, spent, resets_at: resetsAt };
}

function toFunding({ funding, period, balances }: CurrentStanding): AccountTerms['funding'] {
  if (funding.mode === 'credits') return { mode: 'credits' };
  return {
    mode: 'subscription',
    units_per_month: funding.unitsPerMonth,
    period: {
      starts_at: isoTime(periodStartMs(period)),
      ends_at: isoTime(periodStartMs(period + 1)),
    },
    units: toAmounts(balances.units),
  };
}

function toAmounts({ available, held }: Balances) {
  return { total: available + held, held, available };
}

export function toOldHoldList({ asOfMs, holds }: OldHolds): HoldList {
  return { as_of: isoTime(asOfMs), ...toHoldList(holds) };
}

export function toHoldList(holds: readonly AccountHold[]): HoldList {
  return {
    items: holds.map(({ accountId, hold }) => ({
      account_id: accountId,
      project_id: hold.projectId,
      refresh_id: hold.refreshId,
      asset: hold.asset,
      amount: hold.amount,
      price_version: hold.priceVersion,
      reserved_at: isoTime(hold.reservedAtMs),
    })),
  };
}

export function toStatementPage(accountId: AccountId, statement: Statement): StatementPage {
  return {
    items: statement.entries.map((entry) => toStatementRow(accountId, entry)),
    next_after_seq: statement.hasMore ? (statement.entries.at(-1)?.seq ?? null) : null,
  };
}

export function toPriceSchedule(book: PriceBook, nowMs: number): PriceSchedule {
  const announced = book.announcedAt(nowMs).map(toPriceListView);
  return { ...toPriceListView(book.activeAt(nowMs)), announced };
}

export function toWantedPriceList(version: number, wanted: NewPriceList): WantedPriceList {
  return {
    version,
    effectiveAtMs: wanted.effective_at === undefined ? null : fromIsoTime(wanted.effective_at),
    refreshReservation: wanted.refresh_reservation,
    refreshBlock: wanted.refresh_block,
    refreshBlockAssets: wanted.refresh_block_assets,
    refreshDiagnostic: wanted.refresh_diagnostic,
    watchChangedBlock: wanted.watch_changed_block ?? wanted.refresh_block,
    watchUnchangedBlock: wanted.watch_unchanged_block ?? wanted.refresh_block,
    livePage: wanted.live_page,
    currentPage: wanted.current_page,
  };
}

export function toQuarantineList(accounts: readonly QuarantinedAccount[]): QuarantineList {
  return {
    accounts: accounts.map(({ accountId, sinceMs, detail }) => ({
      account_id: accountId,
      since: isoTime(sinceMs),
      detail,
    })),
  };
}

export function toVerifyReport(record: VerificationRecord): VerifyReport {
  const { accounts, entries, problems, startedAtMs, finishedAtMs } = record;
  return {
    ok: problems.length === 0,
    started_at: isoTime(startedAtMs),
    finished_at: isoTime(finishedAtMs),
    accounts,
    entries,
    problems: problems.map(({ accountId, seq, problem }) => ({
      account_id: accountId,
      seq,
      problem,
    })),
  };
}

function toStatementRow(accountId: AccountId, entry: Entry): StatementRow {
  return {
    entry_id: `${accountId}/${entry.seq}`,
    at: isoTime(entry.atMs),
    kind: entry.kind,
    asset: entry.asset,
    change_available: entry.change.available,
    change_held: entry.change.held,
    available_after: entry.after.available,
    held_after: entry.after.held,
    product_code: entry.productCode,
    price_version: entry.priceVersion,
    project_id: entry.projectId,
    refresh_id: entry.refreshId,
    request_id: entry.requestId,
    reason: entry.reason ?? entry.refusal?.code ?? null,
  };
}

export function toUsageReport(days: readonly DayUsage[], asOfSeq: number): UsageReport {
  return {
    as_of_seq: asOfSeq,
    items: days.flatMap(({ day, projectId, products }) =>
      products.map(({ productCode, ...amounts }) => ({
        day: isoTime(day * dayMs).slice(0, 10),
        project_id: projectId,
        product_code: productCode,
        ...amounts,
      })),
    ),
  };
}
