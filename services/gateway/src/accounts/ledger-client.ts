import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import {
  type AccountFunds,
  type AccountTerms,
  accountFunds,
  accountTerms,
  type BalanceView,
  balanceView,
  type HoldList,
  holdList,
  ledgerPaths,
  type NewPriceList,
  type PriceList,
  type PriceSchedule,
  priceList,
  priceLists,
  priceSchedule,
  type QuarantineLifted,
  type QuarantineList,
  quarantineLifted,
  quarantineList,
  type StatementPage,
  statementPage,
  type UsageReport,
  usageReport,
  type VerifyReport,
  verifyReport,
} from '@inventory/contracts/internal/ledger';
import { longCalls } from '@inventory/http/call-lanes';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';

/** Reads of the billing-ledger. Rejects with ServiceUnreachable when it is unavailable. */
export interface LedgerClient {
  readPrices(): Promise<PriceSchedule>;
  /** Every published list, by version. */
  listPriceLists(): Promise<readonly PriceList[]>;
  /** Throws {@link Refused} where the version or its date is not allowed. */
  publishPriceList(version: number, list: NewPriceList): Promise<PriceList>;
  readBalance(accountId: AccountId): Promise<BalanceView>;
  /** Funds and spend cap that apply to a purchase of the Project now. */
  readFunds(accountId: AccountId, projectId: ProjectId): Promise<AccountFunds>;
  /** How the account pays and what limits it. */
  readTerms(accountId: AccountId): Promise<AccountTerms>;
  /**
   * Charges of the UTC days from `from` to `to`, of one Project or of all; null when the report
   * would be too large.
   */
  readUsage(
    accountId: AccountId,
    part: { from: string; to: string; projectId: ProjectId | undefined },
  ): Promise<UsageReport | null>;
  /** All open holds of the account, oldest first. */
  listHolds(accountId: AccountId): Promise<HoldList>;
  /** Entries after a position of the account's journal, oldest first. */
  readStatement(
    accountId: AccountId,
    part: { afterSeq: number; limit: number },
  ): Promise<StatementPage>;
  /** Folds the journal of every account again; the duration grows with the journal. */
  verifyJournals(): Promise<VerifyReport>;
  /** Accounts whose commands are not evaluated, by account. */
  listQuarantined(): Promise<QuarantineList>;
  liftQuarantine(accountId: AccountId): Promise<QuarantineLifted>;
}

const verifyTimeoutMs = 4 * 60_000;
const quarantinedMax = 1_000;

export function createLedgerClient(
  client: InternalClient,
  deadlines: { readonly usageMs: number },
): LedgerClient {
  return {
    readPrices: () => client.json(priceSchedule, { method: 'GET', path: ledgerPaths.prices }),
    async listPriceLists() {
      const call = { method: 'GET', path: ledgerPaths.priceLists } as const;
      return (await client.json(priceLists, call)).items;
    },
    publishPriceList: (version, list) =>
      client.json(priceList, {
        method: 'PUT',
        path: pathOf(ledgerPaths.priceList, { version: String(version) }),
        body: list,
        refusals: ['price_version_conflict', 'effective_date_too_early'],
      }),
    readBalance: (accountId) =>
      client.json(balanceView, {
        method: 'GET',
        path: pathOf(ledgerPaths.balance, { account_id: accountId }),
      }),
    readFunds: (accountId, projectId) =>
      client.json(accountFunds, {
        method: 'GET',
        path: pathOf(ledgerPaths.funds, { account_id: accountId }),
        query: { project_id: projectId },
      }),
    readTerms: (accountId) =>
      client.json(accountTerms, {
        method: 'GET',
        path: pathOf(ledgerPaths.terms, { account_id: accountId }),
      }),
    readUsage: (accountId, { from, to, projectId }) =>
      nullIfRefused(
        client.json(usageReport, {
          method: 'GET',
          path: pathOf(ledgerPaths.usage, { account_id: accountId }),
          query: { from, to, project_id: projectId },
          timeoutMs: deadlines.usageMs,
          lane: longCalls,
          refusals: ['usage_too_large'],
        }),
      ),
    listHolds: (accountId) =>
      client.json(holdList, {
        method: 'GET',
        path: pathOf(ledgerPaths.accountHolds, { account_id: accountId }),
      }),
    readStatement: (accountId, { afterSeq, limit }) =>
      client.json(statementPage, {
        method: 'GET',
        path: pathOf(ledgerPaths.statement, { account_id: accountId }),
        query: { after_seq: afterSeq, limit },
      }),
    listQuarantined: () =>
      client.json(quarantineList, {
        method: 'GET',
        path: ledgerPaths.quarantine,
        query: { limit: quarantinedMax },
      }),
    liftQuarantine: (accountId) =>
      client.json(quarantineLifted, {
        method: 'POST',
        path: pathOf(ledgerPaths.liftQuarantine, { account_id: accountId }),
      }),
    verifyJournals: () =>
      client.json(verifyReport, {
        method: 'POST',
        path: ledgerPaths.verify,
        timeoutMs: verifyTimeoutMs,
        lane: longCalls,
      }),
  };
}
