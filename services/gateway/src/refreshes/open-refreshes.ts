import type { Lifetime } from '@inventory/runtime/lifetime';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { Funds } from '../accounts/funds.ts';
import type { PriceVersion } from '../accounts/prices.ts';
import { commandWork } from '../commands/command-work.ts';
import type { Broadcasts } from '../commands/open-broadcasts.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { TrafficLimiter } from '../http/limits/limit-traffic.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { waitingRefreshes } from '../metrics.ts';
import { createSandboxPace } from '../sandbox/sandbox-pace.ts';
import { work } from '../work.ts';
import type { CollectorClient } from './collector-client.ts';
import type { DecisionConfig } from './decision-config.ts';
import { createPendingCancelStore } from './pending-cancel-store.ts';
import { pendingCancels } from './pending-cancels.ts';
import { createRefreshWaits, type RefreshWaits } from './refresh-waits.ts';

/** Bounds the sockets and memory of waiting requests; past it the response is immediate. */
const waitLimits = { totalMax: 1_000, perKeyMax: 100 };

export type RefreshServices = ReturnType<typeof openRefreshes>;

/** Refreshes, and the sweeper that cancels the undecided attempts of all replicas. */
export function openRefreshes(
  context: ServiceContext<ServiceConfig & DecisionConfig>,
  needs: {
    readonly db: Db;
    readonly broadcasts: Broadcasts;
    readonly commands: RequestReplyClient;
    readonly collector: CollectorClient;
    readonly funds: Funds;
    readonly limiter: TrafficLimiter;
    readonly cursors: CursorSealer;
    readonly prices: PriceVersion;
  },
) {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { deadlines, decisionTimeoutMs } = config;
  const { db, broadcasts, commands, collector, funds, limiter, cursors, prices } = needs;
  const { storeMs } = deadlines;
  const waitMaxMs = Math.max(decisionTimeoutMs + storeMs, work.cancels.again.maxMs);
  const pending = createPendingCancelStore(db, { storeMs, waitMaxMs }, logger);
  const sending = commandWork(pendingCancels(pending.cancels, logger), { commands, deadlines });
  const { wake: wakeCancels } = startWorker(sending, context);
  return {
    commands,
    collector,
    pendingCancels: pending,
    wakeCancels,
    waits: openRefreshWaits(lifetime, broadcasts),
    sandboxPace: createSandboxPace(config.sandboxRefreshesPerMinute, clock),
    funds,
    prices,
    limiter,
    cursors,
    stopping: lifetime.signal,
    clock,
    identifiers,
    logger,
    deadlines,
    decisionTimeoutMs,
  };
}

/** Requests that wait until a refresh is terminal, notified by the message that it is. */
function openRefreshWaits(lifetime: Lifetime, broadcasts: Broadcasts): RefreshWaits {
  const waits = createRefreshWaits(waitLimits);
  lifetime.defer(
    'metrics of waits',
    waitingRefreshes.observe((observe) => observe(waits.waiting)),
  );
  broadcasts.filter('refresh.outcomes.v1', waits.hasProject);
  broadcasts.on(['refresh.completed.v1'], ({ body: { projectId, refreshId } }) =>
    waits.notify(projectId, refreshId),
  );
  return waits;
}
