import { createInternalClient } from '@inventory/http/internal-client';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { createSerialExecutor, type SerialExecutor } from '@inventory/runtime/serial-executor';
import type { RefreshCollectorConfig } from './config.ts';
import { createObservationClient, type ObservationClient } from './refreshes/find-observation.ts';
import { createLedgerClient, type LedgerClient } from './refreshes/orphaned-holds.ts';
import {
  createRevisionStoreClient,
  type RevisionStoreClient,
} from './scans/revision-store-client.ts';

export interface Clients {
  readonly revisionStore: RevisionStoreClient;
  readonly observations: ObservationClient;
  readonly ledger: LedgerClient;
  /** Parses and serializes large pages, one at a time. */
  readonly executor: SerialExecutor;
}

const internalTimeoutMs = 20_000;

export function openClients(config: RefreshCollectorConfig, lifetime: Lifetime): Clients {
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
  const executor = createSerialExecutor();
  const revisionStore = internal('revision-store', config.revisionStoreUrl);
  return {
    executor,
    revisionStore: createRevisionStoreClient(revisionStore, executor),
    observations: createObservationClient(revisionStore),
    ledger: createLedgerClient(internal('billing-ledger', config.billingLedgerUrl)),
  };
}
