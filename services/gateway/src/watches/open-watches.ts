import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startOutbox } from '@inventory/work/outbox';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { Funds } from '../accounts/funds.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { TrafficLimiter } from '../http/limit-traffic.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import type { RevisionStoreClient } from '../pages/revision-store-client.ts';
import type { RefreshConfig } from '../refreshes/refresh-config.ts';
import { work } from '../work.ts';
import { type RunWatchDeps, runWatch } from './run-watch.ts';
import type { WatchConfig } from './watch-config.ts';
import type { WatchRoutesDeps } from './watch-operation.ts';
import { watchRoutes } from './watch-routes.ts';
import { createWatchStore, watchCollection } from './watch-store.ts';

interface WatchesDeps
  extends Pick<WatchRoutesDeps, 'prices' | 'collector' | 'webhooks' | 'cursors'> {
  readonly revisions: Pick<RevisionStoreClient, 'findPage'>;
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly commands: RequestReplyClient;
  readonly funds: Funds;
  readonly limiter: TrafficLimiter;
  readonly watchStandingOf: RunWatchDeps['standingOf'];
}

/** Turns of one Project at a time, on one replica: what one watches delays no other. */
const placesPerProject = 4;

/** Watches: their operations, and the turns in which their runs are requested. */
export function openWatches(
  context: ServiceContext<ServiceConfig & RefreshConfig & WatchConfig>,
  {
    db,
    bus,
    commands,
    funds,
    limiter,
    revisions,
    watchStandingOf: standingOf,
    ...shared
  }: WatchesDeps,
): BoundPublicRoute[] {
  const { config, clock, identifiers, logger } = context;
  const { deadlines, decisionTimeoutMs } = config;
  const watches = createWatchStore(db, deadlines, logger);
  const outbox = startOutbox(
    { db, collectionName: watchCollection, publish: bus.publish },
    context,
  );
  const running: RunWatchDeps = {
    watches,
    commands,
    funds,
    standingOf,
    clock,
    logger,
    deadlines,
    decisionTimeoutMs,
    prices: shared.prices,
    collector: shared.collector,
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
  const { perProjectMax: watchesMax } = config.watches;
  const savedAssets = createSavedAssets(revisions);
  const deps = {
    ...shared,
    watches,
    watchesMax,
    savedAssets,
    limiter,
    clock,
    identifiers,
    logger,
    deadlines,
  };
  return watchRoutes.map((route) => route.bind(deps));
}

function createSavedAssets(
  revisions: Pick<RevisionStoreClient, 'findPage'>,
): WatchRoutesDeps['savedAssets'] {
  const first = {
    pageSize: 1,
    descriptions: 'none',
    coding: null,
    assetIds: [],
    from: null,
  } as const;
  return async ({ scope, language }) => {
    const page = await revisions.findPage({ ...first, scope, language }).catch(() => null);
    return page?.meta.total_count ?? null;
  };
}
