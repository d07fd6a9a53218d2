import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from './config.ts';
import { logIndexes } from './log/log-document.ts';
import { appendedCounter } from './log/log-metrics.ts';
import { logRoutes } from './log/log-routes.ts';
import { openGatewayClient, openLog, startAppending } from './log/open-log.ts';
import { openStoreClock } from './store-clock.ts';
import { openWebhooks } from './webhooks/open-webhooks.ts';
import { webhookIndexes } from './webhooks/webhook-document.ts';

/**
 * Starts the service: logs and webhooks with their work, the consumers, and internal HTTP last.
 * Appending an event makes the endpoints of its Project due, before the announcement is acknowledged;
 * so nothing is polled, and the cost follows what is due.
 */
export async function startEventStream(
  host: ServiceContext<EventStreamConfig>,
): Promise<StartedService> {
  const indexes = [...logIndexes, ...webhookIndexes];
  const { db, bus, health } = await openBackends(host, 'event-stream', indexes);
  const clock = await openStoreClock(host, db);
  const context = { ...host, clock };
  const { log, appendEvent } = openLog(context, db);
  const gateway = openGatewayClient(context);
  const webhooks = await openWebhooks(context, { db, bus, log, gateway });
  await startAppending(context, bus, {
    appendEvent,
    publish: bus.publish,
    makeDue: ({ projectId }) => webhooks.makeDue({ projectId }),
    onAppended: appendedCounter(clock),
    listEventProjects: gateway.listEventProjects,
  });
  const { logEpoch } = context.config.log;
  const routes = [
    ...webhooks.routes,
    ...logRoutes.map((route) => route.bind({ log, clock, logEpoch })),
  ];
  return serveInternal(context, routes, health);
}
