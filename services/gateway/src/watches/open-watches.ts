import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { InternalClient } from '@inventory/http/internal-client';
import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startOutbox } from '@inventory/work/outbox';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { Funds } from '../accounts/funds.ts';
import type { PriceVersion } from '../accounts/prices.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { TrafficLimiter } from '../http/limits/limit-traffic.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { RevisionStoreClient } from '../pages/revision-store-client.ts';
import type { CollectorClient } from '../refreshes/collector-client.ts';
import type { DecisionConfig } from '../refreshes/decision-config.ts';
import { work } from '../work.ts';
import { type RunWatchDeps, runWatch } from './run-watch.ts';
import type { WatchConfig } from './watch-config.ts';
import { createWatchStore, watchCollection } from './watch-store.ts';

interface WatchesNeeds {
  readonly db: Db;
  readonly bus: MessageBus;
  readonly commands: RequestReplyClient;
  readonly collector: CollectorClient;
  readonly revisions: RevisionStoreClient;
  /** Of the event-stream. */
  readonly webhooks: InternalClient;
  readonly funds: Funds;
  readonly prices: PriceVersion;
  readonly limiter: TrafficLimiter;
  readonly cursors: CursorSealer;
  /** Whether the Project of a watch may have runs. */
  readonly watchStandingOf: RunWatchDeps['standingOf'];
}

/** Turns of one Project at a time, on one replica: what one watches delays no other. */
const placesPerProject = 4;

export type WatchServices = ReturnType<typeof openWatches>;

/** Watches: what is stored of them, and the turns in which their runs are requested. */
export function openWatches(
  context: ServiceContext<ServiceConfig & DecisionConfig & WatchConfig>,
  needs: WatchesNeeds,
) {
  const { config, clock, identifiers, logger } = context;
  const { deadlines, decisionTimeoutMs } = config;
  const { db, commands, collector, funds, prices } = needs;
  const watches = createWatchStore(db, deadlines, logger);
  const outbox = startOutbox(
    { db, collectionName: watchCollection, publish: needs.bus.publish },
    context,
  );
  const running: RunWatchDeps = {
    ...{ watches, commands, collector, funds, prices, clock, logger, deadlines, decisionTimeoutMs },
    standingOf: needs.watchStandingOf,
    sendFromOutbox: outbox.send,
  };
  startWorker(
    {
      ...work.watches,
      queue: watches.turns,
      perKey: { places: placesPerProject, keyOf: ({ projectId }) => projectId },
      work: (claimed) => runWatch(running, claimed),
    },
    context,
  );
  return {
    watches,
    watchesMax: config.watches.perProjectMax,
    savedAssets: createSavedAssets(needs.revisions),
    collector,
    webhooks: needs.webhooks,
    prices,
    limiter: needs.limiter,
    cursors: needs.cursors,
    clock,
    identifiers,
    logger,
    deadlines,
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
