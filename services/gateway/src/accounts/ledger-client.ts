import type { AccountId, CredentialId, ProjectId } from '@inventory/contracts/ids';
import { ledgerApi } from '@inventory/contracts/internal/ledger';
import type { NewPriceList } from '@inventory/contracts/messages/price-list';
import { longCalls } from '@inventory/http/call-lanes';
import {
  type CallInput,
  type InternalClient,
  nullIfRefused,
} from '@inventory/http/internal-client';

/** Who is about to pay: a Project, by a Credential where that is known. */
export interface Payer {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly credentialId: CredentialId | null;
}

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
    readBalance: (accountId: AccountId) => call(ledgerApi.readBalance, { path: { accountId } }),
    /** Funds and spend caps that apply to a purchase now. */
    readFunds: ({ accountId, projectId, credentialId }: Payer) =>
      call(ledgerApi.readFunds, { path: { accountId }, query: { projectId, credentialId } }),
    /** How the account pays and what limits it. */
    readTerms: (accountId: AccountId) => call(ledgerApi.readTerms, { path: { accountId } }),
    /**
     * Charges of the UTC days from `from` to `to`, of one Project or of all; null when the report
     * would be too large.
     */
    readUsage(
      accountId: AccountId,
      query: { from: number; to: number; projectId: ProjectId | undefined },
    ) {
      const settings = { timeoutMs: usageMs, lane: longCalls };
      return nullIfRefused(call(ledgerApi.readUsage, { path: { accountId }, query }, settings));
    },
    /** All open holds of the account, oldest first. */
    listHolds: (accountId: AccountId) => call(ledgerApi.listHolds, { path: { accountId } }),
    /** Entries after a position of the account's journal, oldest first. */
    readStatement: (
      accountId: AccountId,
      query: CallInput<(typeof ledgerApi.readStatement)['input']>['query'],
    ) => call(ledgerApi.readStatement, { path: { accountId }, query }),
    /** Folds the journal of every account again; the duration grows with the journal. */
    verifyJournals: () =>
      call(ledgerApi.verify, {}, { timeoutMs: verifyTimeoutMs, lane: longCalls }),
    /** Accounts whose commands are not evaluated, by account. */
    listQuarantined: () => call(ledgerApi.listQuarantined, { query: { limit: quarantinedMax } }),
    liftQuarantine: (accountId: AccountId) =>
      call(ledgerApi.liftQuarantine, { path: { accountId } }),
  };
}
