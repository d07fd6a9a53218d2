import type { AccountId } from '@inventory/contracts/ids';
import type { AccountTerms } from '@inventory/contracts/internal/ledger';
import type { LedgerClient } from './ledger-client.ts';

export interface ReadAccountDeps {
  readonly ledger: Pick<LedgerClient, 'readBalance' | 'readTerms'>;
}

export interface AccountStanding {
  /** Prepaid credits. */
  readonly balance: { readonly total: number; readonly held: number; readonly available: number };
  readonly terms: AccountTerms;
}

const nothing = { total: 0, held: 0, available: 0 };

/** What the account has and how it pays, as the ledger's newest entry has it. */
export async function readAccount(
  { ledger }: ReadAccountDeps,
  accountId: AccountId,
): Promise<AccountStanding> {
  const [{ balances }, terms] = await Promise.all([
    ledger.readBalance(accountId),
    ledger.readTerms(accountId),
  ]);
  const { total, held, available } = balances.find(({ asset }) => asset === 'credits') ?? nothing;
  return { balance: { total, held, available }, terms };
}
