import { consumerGroup } from '@inventory/contracts/topics';
import { createInternalClient } from '@inventory/http/internal-client';
import type { MessageBus } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import { createGatewayClient } from './clients/gateway-client.ts';
import type { EventStreamConfig } from './config.ts';
import { onAuthorityChanged } from './consumers/on-authority-changed.ts';
import { onBalanceLow } from './consumers/on-balance-low.ts';
import { onRefreshCompleted } from './consumers/on-refresh-completed.ts';
import type { LoggedEvent } from './domain/project-event.ts';
import { logRoutes } from './http/log-routes.ts';
import { webhookRoutes } from './http/webhook-routes.ts';
import { countAppended } from './metrics.ts';
import { openWebhooks } from './open-webhooks.ts';
import {
  createProjectEventAccess,
  type ProjectEventAccess,
} from './operations/project-event-access.ts';
import { pruneLogs } from './operations/prune-logs.ts';
import { indexes, openLogCollection, openPrunedCollection } from './storage/collections.ts';
import { createLogPruning } from './storage/log-pruning.ts';
import { createProjectLog, type LogCollections } from './storage/project-log.ts';
import { webhookIndexes } from './storage/webhook-collections.ts';

const concurrencyMax = 16;
/** Longer than commands and outcomes are kept anywhere. */
const rememberPrunedMs = 60 * 24 * 3_600_000;

/** A low balance is not urgent, so records are processed in batches. */
const balancesGatherMs = 500;

/** Starts the service: logs and webhooks, their jobs, the consumers, and internal HTTP last. */
export async function startEventStream(
  context: ServiceContext<EventStreamConfig>,
): Promise<StartedService> {
  const { config, clock, lifetime } = context;
  const { db, bus, health } = await openBackends(context, 'event-stream', [
    ...indexes,
    ...webhookIndexes,
  ]);
  const collections = { log: openLogCollection(db), pruned: openPrunedCollection(db) };
  const log = createProjectLog(collections, clock, config.log);
  startPruning(context, collections);
  const eventAccess = await openEventAccess(context, bus);
  const webhooks = openWebhooks(context, { db, log, eventAccess });
  const onAppended = (event: LoggedEvent): void => {
    countAppended(event, clock.now());
    webhooks.wake(event.projectId);
  };
  const appending = { log, publish: bus.publish, onAppended };
  const completions = await bus.consume({
    group: consumerGroup('event-stream', 'refresh.outcomes.v1'),
    topics: ['refresh.outcomes.v1'],
    onBatch: byKey(onRefreshCompleted(appending), concurrencyMax),
  });
  lifetime.defer('completed refreshes', () => completions.stop());
  // Most records of this topic have other consumers; batches keep the cost of skipping them low.
  const balances = await bus.consume({
    group: consumerGroup('event-stream', 'billing.outcomes.v1'),
    topics: ['billing.outcomes.v1'],
    gatherMs: balancesGatherMs,
    onBatch: byKey(onBalanceLow({ ...appending, endpoints: webhooks.endpoints }), concurrencyMax),
  });
  lifetime.defer('low balances', () => balances.stop());
  const routes = [
    ...webhookRoutes.map((route) => route.bind({ webhooks })),
    ...logRoutes.map((route) => route.bind({ log, clock, logEpoch: config.log.logEpoch })),
  ];
  return serveInternal(context, routes, health);
}

function startPruning(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  collections: LogCollections,
): void {
  const pruning = createLogPruning(collections);
  const { pruneEveryMs, keepMs } = config.log;
  const deps = { pruning, clock, keepMs, rememberMs: rememberPrunedMs };
  startPeriodicJob({
    name: 'log pruning',
    intervalMs: pruneEveryMs,
    lifetime,
    logger,
    runOnce: (stopping) => pruneLogs(deps, stopping),
  });
}

/** Whether Projects may receive their events, invalidated by the changes that the gateway publishes. */
async function openEventAccess(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  bus: Pick<MessageBus, 'broadcast'>,
): Promise<ProjectEventAccess> {
  const client = createInternalClient({
    service: 'gateway',
    baseUrl: config.gateway.url,
    serviceToken: config.serviceTokens[0],
    timeoutMs: config.gateway.timeoutMs,
  });
  lifetime.defer('client of gateway', () => client.close());
  const gateway = createGatewayClient(client);
  const eventAccess = createProjectEventAccess({
    findEventAccess: gateway.mayHaveEvents,
    clock,
    logger,
  });
  const subscription = await bus.broadcast({
    name: 'event-stream-authority',
    topics: ['authority.changes.v1'],
    onMessage: onAuthorityChanged(eventAccess),
  });
  lifetime.defer('authority changes', () => subscription.stop());
  return eventAccess;
}
