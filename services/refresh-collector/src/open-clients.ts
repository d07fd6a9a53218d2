import { createInternalClient } from '@inventory/http/internal-client';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import type { RefreshCollectorConfig } from './config.ts';
import { createObservationClient } from './refreshes/find-observation.ts';
import { createLedgerClient } from './refreshes/ledger-client.ts';
import { createRevisionStoreClient } from './scans/revision-store-client.ts';

const internalTimeoutMs = 20_000;

export function openClients(config: RefreshCollectorConfig, lifetime: Lifetime) {
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
  /** Parses and serializes large pages, one at a time. */
  const executor = createSerialExecutor();
  const revisionStore = internal('revision-store', config.revisionStoreUrl);
  return {
    executor,
    revisionStore: createRevisionStoreClient(revisionStore, executor),
    observations: createObservationClient(revisionStore),
    ledger: createLedgerClient(internal('billing-ledger', config.billingLedgerUrl)),
  };
}
