import { createInternalClient } from '@inventory/http/internal-client';
import {
  createComputationQueue,
  type EnqueueComputation,
} from '@inventory/runtime/computation-queue';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { RefreshCollectorConfig } from './config.ts';
import { type EgressIdentity, openEgress } from './egress/egress-agent.ts';
import { createPlatformClient, type PlatformClient } from './egress/platform-client.ts';
import { createLedgerClient, type LedgerClient } from './refreshes/ledger-client.ts';
import {
  createRevisionStoreClient,
  type RevisionStoreClient,
} from './refreshes/revision-store-client.ts';

export interface Clients {
  readonly egress: readonly EgressIdentity[];
  readonly platform: PlatformClient;
  readonly revisionStore: RevisionStoreClient;
  readonly ledger: LedgerClient;
  /** Of the process, for reading and writing large pages. */
  readonly enqueueComputation: EnqueueComputation;
}

const internalTimeoutMs = 20_000;

export function openClients(config: RefreshCollectorConfig, lifetime: Lifetime): Clients {
  const egress = openEgress(config.platform.egress, config.platform.connectTimeoutMs);
  lifetime.defer('egress', async () => {
    await Promise.all(egress.map(({ dispatcher }) => dispatcher.destroy()));
  });
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
    egress,
    enqueueComputation,
    platform: createPlatformClient(config.platform),
    revisionStore: createRevisionStoreClient(revisionStore, enqueueComputation),
    ledger: createLedgerClient(internal('billing-ledger', config.billingLedgerUrl)),
  };
}
