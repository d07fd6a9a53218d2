import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from './config.ts';
import { indexes, openLogCollection, openPrunedCollection } from './log/log-document.ts';
import { logRoutes } from './log/log-routes.ts';
import type { LoggedEvent } from './log/project-event.domain.ts';
import { createProjectLog } from './log/project-log-store.ts';
import { startConsumers } from './log/start-consumers.ts';
import { startPruning } from './log/start-pruning.ts';
import { countAppended } from './metrics.ts';
import { openEventAccess, openGatewayClient } from './webhooks/open-event-access.ts';
import { openWebhooks } from './webhooks/open-webhooks.ts';
import { webhookIndexes } from './webhooks/webhook-document.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

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
