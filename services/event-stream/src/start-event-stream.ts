import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from './config.ts';
import type { LoggedEvent } from './domain/project-event.ts';
import { logRoutes } from './http/log-routes.ts';
import { webhookRoutes } from './http/webhook-routes.ts';
import { countAppended } from './metrics.ts';
import { openEventAccess, openGatewayClient } from './open-event-access.ts';
import { openWebhooks } from './open-webhooks.ts';
import { startConsumers } from './start-consumers.ts';
import { startPruning } from './start-pruning.ts';
import { indexes, openLogCollection, openPrunedCollection } from './storage/collections.ts';
import { createProjectLog } from './storage/project-log.ts';
import { webhookIndexes } from './storage/webhook-collections.ts';

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
  const gateway = openGatewayClient(context);
  const eventAccess = await openEventAccess(context, { bus, gateway });
  const webhooks = openWebhooks(context, { db, log, eventAccess });
  const onAppended = (event: LoggedEvent): void => {
    countAppended(event, clock.now());
    webhooks.wake(event.projectId);
  };
  const { listEventProjects } = gateway;
  const appending = { log, publish: bus.publish, onAppended, listEventProjects };
  await startConsumers({ bus, lifetime }, appending);
  const routes = [
    ...webhookRoutes.map((route) => route.bind({ webhooks })),
    ...logRoutes.map((route) => route.bind({ log, clock, logEpoch: config.log.logEpoch })),
  ];
  return serveInternal(context, routes, health);
}
