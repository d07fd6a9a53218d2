import type { AccountId } from '@inventory/contracts/ids';
import type { AccountTerms } from '@inventory/contracts/internal/ledger';
import type { LedgerClient } from './ledger-client.ts';

export interface ReadAccountDeps {
  readonly ledger: Pick<LedgerClient, 'readBalance' | 'readTerms'>;
  /** Requests per minute of a customer account for which none are set. */
  readonly customerRequestsPerMinute: number;
}

export interface AccountStanding {
  /** Prepaid credits. */
  readonly balance: { readonly total: number; readonly held: number; readonly available: number };
  readonly terms: AccountTerms;
}

const nothing = { total: 0, held: 0, available: 0 };

/** Balance and terms of the account as of the latest ledger entry. */
export async function readAccount(
  { ledger }: Pick<ReadAccountDeps, 'ledger'>,
  accountId: AccountId,
): Promise<AccountStanding> {
  const [{ balances }, terms] = await Promise.all([
    ledger.readBalance(accountId),
    ledger.readTerms(accountId),
  ]);
  const { total, held, available } = balances.find(({ asset }) => asset === 'credits') ?? nothing;
  return { balance: { total, held, available }, terms };
}
