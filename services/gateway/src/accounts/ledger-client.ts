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
  type PriceList,
  priceList,
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
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import type { Deadlines } from '../deadlines.ts';

/** Reads of the billing-ledger. Rejects with ServiceUnreachable when it does not answer. */
export interface LedgerClient {
  prices(): Promise<PriceList>;
  balance(accountId: AccountId): Promise<BalanceView>;
  /** What a purchase of the Project would meet now. */
  funds(accountId: AccountId, projectId: ProjectId): Promise<AccountFunds>;
  /** How the account pays and what limits it. */
  terms(accountId: AccountId): Promise<AccountTerms>;
  /**
   * What was charged on the UTC days from `from` to `to`, of one Project or of all; null where
   * that is more than one report may have.
   */
  usage(
    accountId: AccountId,
    part: { from: string; to: string; projectId: ProjectId | undefined },
  ): Promise<UsageReport | null>;
  /** All open holds of the account, oldest first. */
  holds(accountId: AccountId): Promise<HoldList>;
  /** Entries after a position of the account's journal, oldest first. */
  statement(
    accountId: AccountId,
    part: { afterSeq: number; limit: number },
  ): Promise<StatementPage>;
  /** Refolds every account; takes as long as the journal is. */
  verify(): Promise<VerifyReport>;
  /** Accounts whose commands are not evaluated, by account. */
  quarantined(): Promise<QuarantineList>;
  liftQuarantine(accountId: AccountId): Promise<QuarantineLifted>;
}

const verifyTimeoutMs = 4 * 60_000;
const quarantinedMax = 1_000;

export function createLedgerClient(
  client: InternalClient,
  deadlines: Pick<Deadlines, 'usageMs'>,
): LedgerClient {
  const accountPath = (accountId: AccountId, part: string) => `/accounts/${accountId}/${part}`;
  return {
    prices: () => client.json(priceList, { method: 'GET', path: '/prices' }),
    balance: (accountId) =>
      client.json(balanceView, { method: 'GET', path: accountPath(accountId, 'balance') }),
    funds: (accountId, projectId) =>
      client.json(accountFunds, {
        method: 'GET',
        path: accountPath(accountId, 'funds'),
        query: { project_id: projectId },
      }),
    terms: (accountId) =>
      client.json(accountTerms, { method: 'GET', path: accountPath(accountId, 'terms') }),
    usage: (accountId, { from, to, projectId }) =>
      nullIfRefused(
        client.json(usageReport, {
          method: 'GET',
          path: accountPath(accountId, 'usage'),
          query: { from, to, project_id: projectId },
          timeoutMs: deadlines.usageMs,
          refusals: ['usage_too_large'],
        }),
      ),
    holds: (accountId) =>
      client.json(holdList, { method: 'GET', path: accountPath(accountId, 'holds') }),
    statement: (accountId, { afterSeq, limit }) =>
      client.json(statementPage, {
        method: 'GET',
        path: accountPath(accountId, 'statement'),
        query: { after_seq: afterSeq, limit },
      }),
    quarantined: () =>
      client.json(quarantineList, {
        method: 'GET',
        path: '/quarantine',
        query: { limit: quarantinedMax },
      }),
    liftQuarantine: (accountId) =>
      client.json(quarantineLifted, {
        method: 'POST',
        path: `/quarantine/${accountId}/lift`,
      }),
    verify: () =>
      client.json(verifyReport, { method: 'POST', path: '/verify', timeoutMs: verifyTimeoutMs }),
  };
}
