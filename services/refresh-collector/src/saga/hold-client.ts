import { ledgerApi } from '@inventory/contracts/internal/ledger';
import { type BillingOutcome, billingCommandId } from '@inventory/contracts/messages/billing';
import type { InternalClient } from '@inventory/http/internal-client';
import type { Refresh } from './refresh.domain.ts';

/** Reads of holds in the billing-ledger. */
export type HoldClient = ReturnType<typeof createHoldClient>;

/** A client waits for the reservation of its refresh. */
const reservationsTimeoutMs = 1_000;

export function createHoldClient({ call }: InternalClient) {
  return {
    listHoldsOlderThan: (olderThanSeconds: number) =>
      call(ledgerApi.listOldHolds, { query: { olderThanSeconds, limit: 1_000 } }),
    /** What is recorded of the reservations of these refreshes, all of one account. */
    async readReservations(refreshes: readonly Refresh[]): Promise<readonly BillingOutcome[]> {
      const [first] = refreshes;
      if (!first) return [];
      const path = { accountId: first.accountId };
      const query = {
        commandId: refreshes.map(({ refreshId }) => billingCommandId.reserve(refreshId)),
      };
      const options = { timeoutMs: reservationsTimeoutMs };
      return (await call(ledgerApi.readOutcomes, { path, query }, options)).items;
    },
  };
}
