import { createInternalClient } from '@inventory/http/internal-client';
import {
  createComputationQueue,
  type EnqueueComputation,
} from '@inventory/runtime/computation-queue';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { RefreshCollectorConfig } from './config.ts';
import { createLedgerClient, type LedgerClient } from './refreshes/ledger-client.ts';
import {
  createRevisionStoreClient,
  type RevisionStoreClient,
} from './refreshes/revision-store-client.ts';

export interface Clients {
  readonly revisionStore: RevisionStoreClient;
  readonly ledger: LedgerClient;
  /** One queue for parsing and serializing large pages. */
  readonly enqueueComputation: EnqueueComputation;
}

const internalTimeoutMs = 20_000;

export function openClients(config: RefreshCollectorConfig, lifetime: Lifetime): Clients {
  const [serviceToken] = config.serviceTokens;
  const internal = (service: string, baseUrl: string) => {
    const client = createInternalClient({
      baseUrl,
      service,
      serviceToken,
      timeoutMs: internalTimeoutMs,
    });
    lifetime.defer(`client of ${service}`, () => client.close());
    return client;
  };
  const enqueueComputation = createComputationQueue();
  const revisionStore = internal('revision-store', config.revisionStoreUrl);
  return {
    enqueueComputation,
    revisionStore: createRevisionStoreClient(revisionStore, enqueueComputation),
    ledger: createLedgerClient(internal('billing-ledger', config.billingLedgerUrl)),
  };
}
