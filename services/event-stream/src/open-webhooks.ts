import { webhookEndpointsMax } from '@inventory/contracts/http/webhooks';
import type { EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import { createHostResolver } from './clients/resolve-host.ts';
import { createWebhookSender } from './clients/webhook-sender.ts';
import { newWebhookSecret } from './clients/webhook-signature.ts';
import type { EventStreamConfig } from './config.ts';
import type { WebhookEndpoint } from './domain/webhook-endpoint.ts';
import { changeEndpoint, type EndpointChange, rotateSecret } from './operations/change-endpoint.ts';
import { createEndpoint, type WantedEndpoint } from './operations/create-endpoint.ts';
import { pingEndpoint } from './operations/ping-endpoint.ts';
import type { ProjectEventAccess } from './operations/project-event-access.ts';
import { redeliverEvent, redeliverRange } from './operations/redeliver.ts';
import {
  startBacklogCount,
  startDeliveryPruning,
  startReading,
  startReencryption,
  startSending,
} from './start-webhook-jobs.ts';
import { createDeliveryStore, type DeliveryPageQuery } from './storage/delivery-store.ts';
import { createEndpointStore, type EndpointStore } from './storage/endpoint-store.ts';
import type { ProjectLog } from './storage/project-log.ts';
import { createSecretSealer } from './storage/sealed-secret.ts';
import { openDeliveryCollection, openEndpointCollection } from './storage/webhook-collections.ts';

export interface WebhookParts {
  readonly db: Db;
  readonly log: ProjectLog;
  readonly eventAccess: ProjectEventAccess;
}

interface NamedEndpoint {
  readonly projectId: ProjectId;
  readonly endpointId: WebhookEndpointId;
}

/** Operations on the webhooks of Projects. */
export type Webhooks = ReturnType<typeof openWebhooks>;

/** Opens the stores and starts the jobs that insert, send and delete deliveries. */
export function openWebhooks(context: ServiceContext<EventStreamConfig>, parts: WebhookParts) {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { db, log } = parts;
  const { webhooks } = config;
  const sealer = createSecretSealer(webhooks.secretKeys);
  const endpoints = createEndpointStore(openEndpointCollection(db), sealer, logger);
  const deliveries = createDeliveryStore(openDeliveryCollection(db), logger);
  const rules = { allowPrivate: webhooks.allowPrivate };
  const sender = createWebhookSender({
    ...rules,
    resolve: createHostResolver(),
    timeoutMs: webhooks.timeoutMs,
  });
  lifetime.defer('webhook connections', () => sender.close());
  const sending = startSending(context, { ...parts, endpoints, deliveries, sender });
  const reading = startReading(context, { ...parts, endpoints, deliveries, wake: sending.wake });
  startDeliveryPruning(context, deliveries);
  startReencryption(context, db, sealer);
  startBacklogCount(context, db);
  const making = {
    ...{ endpoints, log, clock, identifiers, rules, endpointsMax: webhookEndpointsMax },
    newSecret: newWebhookSecret,
  };
  const again = { log, deliveries, clock, identifiers, wake: sending.resume };

  return {
    endpoints: endpoints as Pick<EndpointStore, 'listSubscribedProjects'>,
    /** An event was appended to the Project's log. */
    wake: reading.wake,
    create: (wanted: WantedEndpoint) => createEndpoint(making, wanted),
    find: endpoints.findEndpoint,
    list: endpoints.listEndpoints,
    change: (named: NamedEndpoint, change: EndpointChange) => changeEndpoint(making, named, change),
    rotate: (named: NamedEndpoint, overlapMs: number) => rotateSecret(making, named, overlapMs),
    async remove(projectId: ProjectId, endpointId: WebhookEndpointId): Promise<boolean> {
      const removed = await endpoints.removeEndpoint(projectId, endpointId);
      // After a crash before this, the deliveries are removed when they are due.
      if (removed) await deliveries.removeOfEndpoint(endpointId);
      return removed;
    },
    ping: (endpoint: WebhookEndpoint) => pingEndpoint(again, endpoint),
    deliveries: (id: WebhookEndpointId, query: DeliveryPageQuery) =>
      deliveries.listDeliveries(id, query),
    redeliverEvent: (endpoint: WebhookEndpoint, eventId: EventId) =>
      redeliverEvent(again, endpoint, eventId),
    redeliverRange: (
      endpoint: WebhookEndpoint,
      { sinceMs, untilMs }: { sinceMs: number; untilMs: number | null },
    ) => redeliverRange(again, endpoint, { sinceMs, untilMs: untilMs ?? clock.now() }),
  };
}
