import type { Stack } from '@inventory/local-stack/stack';
import { createOperatorClient } from '@inventory/operator-client/operator-client';

/** The ledger's figures of an account. */
export interface AccountBooks {
  readonly totalCredits: number;
  readonly openHolds: number;
}

const verifyTimeoutMs = 290_000;

/** Rejects when the verification of the whole ledger finds a problem. */
export async function readBooks(
  { operatorUrl: url, operatorToken: token }: Stack,
  account_id: string,
): Promise<AccountBooks> {
  const operator = createOperatorClient({ url, token, timeoutMs: verifyTimeoutMs });
  const { ok, problems } = await operator.call('verifyLedger', {});
  if (!ok) throw new Error(`ledger verification found problems: ${JSON.stringify(problems)}`);
  const { balances } = await operator.call('readBalance', { account_id });
  const { items } = await operator.call('listHolds', { account_id, limit: 100 });
  const credits = balances.find(({ asset }) => asset === 'credits');
  return { totalCredits: credits?.total ?? 0, openHolds: items.length };
}
