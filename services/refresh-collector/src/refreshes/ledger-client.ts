import { type HoldList, holdList, ledgerPaths } from '@inventory/contracts/internal/ledger';
import type { InternalClient } from '@inventory/http/internal-client';

/** Reads of the billing-ledger. */
export interface LedgerClient {
  listHoldsOlderThan(seconds: number): Promise<HoldList>;
}

export function createLedgerClient(client: InternalClient): LedgerClient {
  return {
    listHoldsOlderThan: (seconds) =>
      client.json(holdList, {
        method: 'GET',
        path: ledgerPaths.holds,
        query: { older_than_seconds: seconds, limit: 1_000 },
      }),
  };
}
