import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from './config.ts';
import { logIndexes } from './log/log-document.ts';
import { appendedCounter } from './log/log-metrics.ts';
import { logRoutes } from './log/log-routes.ts';
import { openGatewayClient, openLog, startAppending } from './log/open-log.ts';
import { startWork } from './start-work.ts';
import {
  openEventAccess,
  openManaging,
  openServing,
  openWebhookStores,
} from './webhooks/open-webhooks.ts';
import { webhookIndexes } from './webhooks/webhook-document.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** Starts the service: logs and webhooks, their work, the consumers, and internal HTTP last. */
export async function startEventStream(
  context: ServiceContext<EventStreamConfig>,
): Promise<StartedService> {
  const { config, clock } = context;
  const indexes = [...logIndexes, ...webhookIndexes];
  const { db, bus, health } = await openBackends(context, 'event-stream', indexes);
  const { log, pruning } = openLog(context, db);
  const stores = openWebhookStores(context, db, log);
  const { endpoints } = stores;
  const gateway = openGatewayClient(context);
  const wake = () => work.wakeEndpoints();
  const eventAccess = await openEventAccess(context, bus, { gateway, endpoints, wake });
  const serving = openServing(context, stores, eventAccess);
  const work = startWork(context, { pruning, endpoints, serving });
  await startAppending(context, bus, {
    log,
    publish: bus.publish,
    async makeDue({ projectId, appendedAtMs }) {
      const isKept = appendedAtMs !== null;
      const [isDue] = await Promise.all([
        endpoints.makeDue({ projectId }, clock.now()),
        isKept && pruning.appended(projectId, appendedAtMs),
      ]);
      if (isDue) wake();
    },
    onAppended: appendedCounter(clock),
    listEventProjects: gateway.listEventProjects,
  });
  const managing = openManaging(context, stores, serving, wake);
  const routes = [
    ...webhookRoutes.map((route) => route.bind(managing)),
    ...logRoutes.map((route) => route.bind({ log, clock, logEpoch: config.log.logEpoch })),
  ];
  return serveInternal(context, routes, health);
}
