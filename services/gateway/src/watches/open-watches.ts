import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { InternalClient } from '@inventory/http/internal-client';
import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startOutbox } from '@inventory/work/outbox';
import type { Db } from 'mongodb';
import type { RevisionStoreClient } from '../pages/revision-store-client.ts';
import type { RefreshServices } from '../refreshes/open-refreshes.ts';
import type { WatchConfig } from './watch-config.ts';
import type { EligibilityOf } from './watch-eligibility.ts';
import { createWatchStore, watchCollection } from './watch-store.ts';

interface WatchesNeeds {
  readonly db: Db;
  readonly bus: MessageBus;
  readonly refreshes: RefreshServices;
  readonly revisions: RevisionStoreClient;
  /** Of the event-stream. */
  readonly webhooks: InternalClient;
  /** Whether the Project of a watch may have runs. */
  readonly eligibilityOf: EligibilityOf;
}

export type WatchServices = ReturnType<typeof openWatches>;

/** Watches, each of which requests refreshes: what requests one, and what is stored of watches. */
export function openWatches(
  context: ServiceContext<ServiceConfig & WatchConfig>,
  { db, bus, refreshes, revisions, webhooks, eligibilityOf }: WatchesNeeds,
) {
  const { config, logger } = context;
  const outbox = startOutbox(db, watchCollection, bus.publish, context);
  return {
    ...refreshes,
    watches: createWatchStore(db, refreshes.deadlines, logger),
    watchesMax: config.watches.perProjectMax,
    eligibilityOf: eligibilityOf,
    sendFromOutbox: outbox.send,
    savedAssets: createSavedAssets(revisions),
    webhooks,
  };
}

/** Finds the size of the saved inventory; null where there is none, or it cannot be read. */
function createSavedAssets(revisions: RevisionStoreClient) {
  const first = {
    pageSize: 1,
    descriptions: 'none',
    coding: null,
    assetIds: [],
    from: null,
  } as const;
  return async (scope: InventoryKey, language: Language): Promise<number | null> => {
    const page = await revisions.findPage({ ...first, scope, language }).catch(() => null);
    return page?.meta.totalCount ?? null;
  };
}
