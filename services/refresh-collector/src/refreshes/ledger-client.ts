import { type HoldList, holdList } from '@inventory/contracts/internal/ledger';
import type { InternalClient } from '@inventory/http/internal-client';

/** What the collector reads from the ledger: old holds, to resolve them again. */
export interface LedgerClient {
  holdsOlderThan(seconds: number): Promise<HoldList>;
}

export function createLedgerClient(client: InternalClient): LedgerClient {
  return {
    holdsOlderThan: (seconds) =>
      client.json(holdList, {
        method: 'GET',
        path: '/holds',
        query: { older_than_seconds: seconds, limit: 1_000 },
      }),
  };
}
