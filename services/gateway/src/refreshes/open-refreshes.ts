import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { PriceVersion } from '../accounts/track-prices.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import { resendPendingCommands } from '../commands/resend-pending-commands.ts';
import type { GatewayConfig } from '../config.ts';
import type { RequestLimiter } from '../http/limit-requests.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { observeWaitingRefreshes } from '../metrics.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import { cancelRefreshRoute } from './cancel-refresh-route.ts';
import type { CollectorClient } from './collector-client.ts';
import { listRefreshesRoute } from './list-refreshes-route.ts';
import { createPendingCancelStore } from './pending-cancel-store.ts';
import { pendingCancels } from './pending-cancels.ts';
import { readRefreshRoute } from './read-refresh-route.ts';
import { createRefreshWaits } from './refresh-waits.ts';
import { requestRefreshRoute } from './request-refresh-route.ts';
import { requestRefreshesRoute } from './request-refreshes-route.ts';

export interface RefreshesDeps {
  readonly db: Db;
  readonly broadcasts: Broadcasts;
  readonly commands: RequestReplyClient;
  readonly collector: CollectorClient;
  readonly limiter: RequestLimiter;
  readonly cursors: CursorSealer;
  readonly prices: Pick<PriceVersion, 'readPrices'>;
}

const sweepEveryMs = 1_000;
/** Bounds the sockets and memory of waiting requests; past it the response is immediate. */
const waitLimits = { totalMax: 1_000, perKeyMax: 100 };

/** Refreshes, and the sweeper that cancels the undecided attempts of all replicas. */
export function openRefreshes(
  { config, lifetime, clock, identifiers, logger }: ServiceContext<GatewayConfig>,
  { db, broadcasts, commands, collector, limiter, cursors, prices }: RefreshesDeps,
): BoundPublicRoute[] {
  const { deadlines, limits } = config;
  const cancels = createPendingCancelStore(db, deadlines, logger);
  const resending = { commands, clock, replica: identifiers.uuidV7(), deadlines };
  const pending = pendingCancels(cancels.pending, logger);
  const { wake: wakeCancels } = startPeriodicJob({
    name: 'pending cancels',
    intervalMs: sweepEveryMs,
    lifetime,
    logger,
    runOnce: () => resendPendingCommands(resending, pending),
  });

  const waits = createRefreshWaits(waitLimits);
  lifetime.defer(
    'metrics of waits',
    observeWaitingRefreshes(() => waits.waiting),
  );
  // The event has been appended: its refresh is terminal.
  broadcasts.on(['project.event-appended.v1'], ({ body: { event } }) => {
    if (event.type === 'inventory.refresh.completed') waits.notify(event.data.refresh_id);
  });

  const shared = { commands, collector, clock, logger, deadlines, ...limits };
  const admission = { ...shared, pendingCancels: cancels, wakeCancels, identifiers, prices };
  return [
    requestRefreshRoute.bind(admission),
    requestRefreshesRoute.bind({ ...admission, limiter }),
    readRefreshRoute.bind({ collector, waits, deadlines, stopping: lifetime.signal }),
    cancelRefreshRoute.bind(shared),
    listRefreshesRoute.bind({ collector, cursors }),
  ];
}
