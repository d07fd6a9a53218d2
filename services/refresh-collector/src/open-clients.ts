import { createInternalClient } from '@inventory/http/internal-client';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { type EgressIdentity, openEgress } from './clients/egress.ts';
import { createLedgerClient, type LedgerClient } from './clients/ledger-client.ts';
import { createPlatformClient, type PlatformClient } from './clients/platform.ts';
import {
  createRevisionStoreClient,
  type RevisionStoreClient,
} from './clients/revision-store-client.ts';
import type { RefreshCollectorConfig } from './config.ts';

export interface Clients {
  readonly egress: readonly EgressIdentity[];
  readonly platform: PlatformClient;
  readonly revisionStore: RevisionStoreClient;
  readonly ledger: LedgerClient;
}

const internalTimeoutMs = 20_000;

export function openClients(config: RefreshCollectorConfig, lifetime: Lifetime): Clients {
  const egress = openEgress(config.platform.egress);
  lifetime.defer('egress', async () => {
    await Promise.all(egress.map(({ dispatcher }) => dispatcher.destroy()));
  });
  const { serviceToken } = config;
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
  return {
    egress,
    platform: createPlatformClient(config.platform),
    revisionStore: createRevisionStoreClient(internal('revision-store', config.revisionStoreUrl)),
    ledger: createLedgerClient(internal('billing-ledger', config.billingLedgerUrl)),
  };
}
