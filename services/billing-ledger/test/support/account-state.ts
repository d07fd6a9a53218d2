import type { LedgerAccount } from '../../src/accounts/account.domain.ts';
import { listHolds } from '../../src/accounts/hold-set.domain.ts';

/** What an outside auditor sees of an account: no position, no time. */
export function moneyOf(account: LedgerAccount): string {
  return JSON.stringify([account.balances, listHolds(account.holds)]);
}

/** All of it, without how its holds are kept. */
export function stateOf(account: LedgerAccount): string {
  return JSON.stringify([account, listHolds(account.holds)].map(withoutBuckets));
}

function withoutBuckets(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'holds' in value
    ? { ...value, holds: undefined }
    : value;
}
