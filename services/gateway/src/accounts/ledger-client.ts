import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { ledgerApi } from '@inventory/contracts/internal/ledger';
import type { NewPriceList } from '@inventory/contracts/messages/price-list';
import { longCalls } from '@inventory/http/call-lanes';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';

/** Reads of the billing-ledger. Rejects with ServiceUnreachable when it is unavailable. */
export type LedgerClient = ReturnType<typeof createLedgerClient>;

const verifyTimeoutMs = 4 * 60_000;
const quarantinedMax = 1_000;

export function createLedgerClient(
  { call }: InternalClient,
  { usageMs }: { readonly usageMs: number },
) {
  return {
    readPrices: () => call(ledgerApi.readPrices, {}),
    /** Every published list, by version. */
    listPriceLists: async () => (await call(ledgerApi.listPriceLists, {})).items,
    /** Throws {@link Refused} where the version or its date is not allowed. */
    publishPriceList: (version: number, body: NewPriceList) =>
      call(ledgerApi.publishPriceList, { path: { version }, body }),
    readBalance: (account_id: AccountId) => call(ledgerApi.readBalance, { path: { account_id } }),
    /** Funds and spend cap that apply to a purchase of the Project now. */
    readFunds: (account_id: AccountId, project_id: ProjectId) =>
      call(ledgerApi.readFunds, { path: { account_id }, query: { project_id } }),
    /** How the account pays and what limits it. */
    readTerms: (account_id: AccountId) => call(ledgerApi.readTerms, { path: { account_id } }),
    /**
     * Charges of the UTC days from `from` to `to`, of one Project or of all; null when the report
     * would be too large.
     */
    readUsage(
      account_id: AccountId,
      query: { from: string; to: string; project_id: ProjectId | undefined },
    ) {
      const settings = { timeoutMs: usageMs, lane: longCalls };
      return nullIfRefused(call(ledgerApi.readUsage, { path: { account_id }, query }, settings));
    },
    /** All open holds of the account, oldest first. */
    listHolds: (account_id: AccountId) => call(ledgerApi.listHolds, { path: { account_id } }),
    /** Entries after a position of the account's journal, oldest first. */
    readStatement: (account_id: AccountId, after_seq: number, limit: number) =>
      call(ledgerApi.readStatement, { path: { account_id }, query: { after_seq, limit } }),
    /** Folds the journal of every account again; the duration grows with the journal. */
    verifyJournals: () =>
      call(ledgerApi.verify, {}, { timeoutMs: verifyTimeoutMs, lane: longCalls }),
    /** Accounts whose commands are not evaluated, by account. */
    listQuarantined: () => call(ledgerApi.listQuarantined, { query: { limit: quarantinedMax } }),
    liftQuarantine: (account_id: AccountId) =>
      call(ledgerApi.liftQuarantine, { path: { account_id } }),
  };
}
