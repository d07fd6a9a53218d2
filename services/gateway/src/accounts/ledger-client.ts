import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import {
  accountFunds,
  accountTerms,
  balanceView,
  holdList,
  ledgerPaths,
  type NewPriceList,
  priceList,
  priceLists,
  priceSchedule,
  quarantineLifted,
  quarantineList,
  statementPage,
  usageReport,
  verifyReport,
} from '@inventory/contracts/internal/ledger';
import { longCalls } from '@inventory/http/call-lanes';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';

export type LedgerClient = ReturnType<typeof createLedgerClient>;

const verifyTimeoutMs = 4 * 60_000;
const quarantinedMax = 1_000;

/** Reads of the billing-ledger. Rejects with ServiceUnreachable when it is unavailable. */
export function createLedgerClient(
  client: InternalClient,
  deadlines: { readonly usageMs: number },
) {
  return {
    readPrices: () => client.json(priceSchedule, { method: 'GET', path: ledgerPaths.prices }),
    /** Every published list, by version. */
    async listPriceLists() {
      const call = { method: 'GET', path: ledgerPaths.priceLists } as const;
      return (await client.json(priceLists, call)).items;
    },
    /** Throws {@link Refused} where the version or its date is not allowed. */
    publishPriceList: (version: number, list: NewPriceList) =>
      client.json(priceList, {
        method: 'PUT',
        path: pathOf(ledgerPaths.priceList, { version: String(version) }),
        body: list,
        refusals: ['price_version_conflict', 'effective_date_too_early'],
      }),
    readBalance: (accountId: AccountId) =>
      client.json(balanceView, {
        method: 'GET',
        path: pathOf(ledgerPaths.balance, { account_id: accountId }),
      }),
    /** Funds and spend cap that apply to a purchase of the Project now. */
    readFunds: (accountId: AccountId, projectId: ProjectId) =>
      client.json(accountFunds, {
        method: 'GET',
        path: pathOf(ledgerPaths.funds, { account_id: accountId }),
        query: { project_id: projectId },
      }),
    /** How the account pays and what limits it. */
    readTerms: (accountId: AccountId) =>
      client.json(accountTerms, {
        method: 'GET',
        path: pathOf(ledgerPaths.terms, { account_id: accountId }),
      }),
    /**
     * Charges of the UTC days from `from` to `to`, of one Project or of all; null when the report
     * would be too large.
     */
    readUsage: (
      accountId: AccountId,
      { from, to, projectId }: { from: string; to: string; projectId: ProjectId | undefined },
    ) =>
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
    /** All open holds of the account, oldest first. */
    listHolds: (accountId: AccountId) =>
      client.json(holdList, {
        method: 'GET',
        path: pathOf(ledgerPaths.accountHolds, { account_id: accountId }),
      }),
    /** Entries after a position of the account's journal, oldest first. */
    readStatement: (
      accountId: AccountId,
      { afterSeq, limit }: { afterSeq: number; limit: number },
    ) =>
      client.json(statementPage, {
        method: 'GET',
        path: pathOf(ledgerPaths.statement, { account_id: accountId }),
        query: { after_seq: afterSeq, limit },
      }),
    /** Accounts whose commands are not evaluated, by account. */
    listQuarantined: () =>
      client.json(quarantineList, {
        method: 'GET',
        path: ledgerPaths.quarantine,
        query: { limit: quarantinedMax },
      }),
    liftQuarantine: (accountId: AccountId) =>
      client.json(quarantineLifted, {
        method: 'POST',
        path: pathOf(ledgerPaths.liftQuarantine, { account_id: accountId }),
      }),
    /** Folds the journal of every account again; the duration grows with the journal. */
    verifyJournals: () =>
      client.json(verifyReport, {
        method: 'POST',
        path: ledgerPaths.verify,
        timeoutMs: verifyTimeoutMs,
        lane: longCalls,
      }),
  };
}
