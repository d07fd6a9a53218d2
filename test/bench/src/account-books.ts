import { balanceView, holdList, verifyReport } from '@inventory/contracts/internal/ledger';
import type { Stack } from '@inventory/local-stack/stack';
import { request } from 'undici';

/** What the ledger says of an account. */
export interface AccountBooks {
  readonly totalCredits: number;
  readonly openHolds: number;
}

/** Rejects when the ledger as a whole does not add up. */
export async function readBooks(stack: Stack, accountId: string): Promise<AccountBooks> {
  const ask = async (method: 'GET' | 'POST', path: string): Promise<unknown> => {
    const { statusCode, body } = await request(new URL(`/operator/v1${path}`, stack.operatorUrl), {
      method,
      headers: { authorization: `Bearer ${stack.operatorToken}` },
    });
    const text = await body.text();
    if (statusCode >= 400) throw new Error(`${path}: ${statusCode} ${text}`);
    return JSON.parse(text);
  };
  const { ok, problems } = verifyReport.parse(await ask('POST', '/ledger/verify'));
  if (!ok) throw new Error(`the ledger does not add up: ${JSON.stringify(problems)}`);
  const { balances } = balanceView.parse(await ask('GET', `/accounts/${accountId}/balance`));
  const holds = holdList.parse(await ask('GET', `/accounts/${accountId}/holds?limit=100`));
  const credits = balances.find(({ asset }) => asset === 'credits');
  return { totalCredits: credits?.total ?? 0, openHolds: holds.items.length };
}
