import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from './config.ts';
import { logIndexes } from './log/log-document.ts';
import { logRoutes } from './log/log-routes.ts';
import { type OnAppended, startAppending } from './log/on-announcements.ts';
import { openGatewayClient, openLog } from './log/open-log.ts';
import { openStoreClock } from './store-clock.ts';
import { openWebhooks } from './webhooks/open-webhooks.ts';
import { startWebhooks } from './webhooks/start-webhooks.ts';
import { webhookIndexes } from './webhooks/webhook-document.ts';
import { webhookApiRoutes } from './webhooks/webhook-routes.ts';

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
  const gateway = openGatewayClient(context);
  const logs = openLog(context, db, bus, gateway);
  const webhooks = await openWebhooks(context, { db, bus, gateway, log: logs.log });
  startWebhooks(context, webhooks);
  const onAppended: OnAppended = ({ projectId }) => webhooks.makeDue({ projectId });
  await startAppending(logs, bus, context.lifetime, onAppended);
  const routes = [
    ...webhookApiRoutes.map((route) => route.bind(webhooks)),
    ...logRoutes.map((route) => route.bind({ ...logs, onAppended })),
  ];
  return serveInternal(context, routes, health);
}
