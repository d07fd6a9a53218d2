import { webhookEndpointsMax } from '@inventory/contracts/http/webhooks';
import type { EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { createTextSealer } from '@inventory/runtime/text-sealer';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from '../config.ts';
import type { ProjectLog } from '../log/project-log-store.ts';
import { startLogReading } from '../start-log-reading.ts';
import { startSending } from '../start-sending.ts';
import { createEndpointQueues } from '../storage/endpoint-queues.ts';
import { changeEndpoint, type EndpointChange, rotateSecret } from './change-endpoint.ts';
import { createEndpoint, type WantedEndpoint } from './create-endpoint.ts';
import { createDeliveryStore, type DeliveryPageQuery } from './delivery-store.ts';
import { createEndpointStore } from './endpoint-store.ts';
import type { ProjectEventAccess } from './event-access.ts';
import { pingEndpoint } from './ping-endpoint.ts';
import { redeliverEvent, redeliverRange } from './redeliver.ts';
import type { WantedRotation } from './secret-rotation.domain.ts';
import { startWebhookUpkeep } from './start-webhook-upkeep.ts';
import { openDeliveryCollection, openEndpointCollection } from './webhook-document.ts';
import type { WebhookEndpoint } from './webhook-endpoint.domain.ts';
import { newWebhookSecret } from './webhook-signature.ts';

export interface WebhooksDeps {
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
export function openWebhooks(context: ServiceContext<EventStreamConfig>, deps: WebhooksDeps) {
  const { config, clock, identifiers, logger } = context;
  const { db, log } = deps;
  const { webhooks } = config;
  const sealer = createTextSealer(webhooks.secretKeys);
  const endpoints = createEndpointStore(openEndpointCollection(db), sealer, logger);
  const queues = createEndpointQueues(openEndpointCollection(db), sealer, logger);
  const deliveries = createDeliveryStore(openDeliveryCollection(db), logger);
  const rules = { allowPrivate: webhooks.allowPrivate };
  const stores = { ...deps, endpoints, queues, deliveries };
  const sending = startSending(context, {
    ...{ ...stores, rules },
    onDrained: (endpointId) => reading.wakeEndpoint(endpointId),
  });
  const reading = startLogReading(context, { ...stores, ...sending });
  startWebhookUpkeep(context, { db, deliveries, sealer });
  const making = {
    ...{ endpoints, log, clock, identifiers, rules, endpointsMax: webhookEndpointsMax },
    newSecret: newWebhookSecret,
  };
  const again = { log, deliveries, clock, identifiers, wake: sending.wakePings };
  const redelivering = {
    ...again,
    async enqueue(endpoint: WebhookEndpoint, dueAtMs: number): Promise<void> {
      await queues.enqueue([endpoint.id], dueAtMs);
      sending.wake(endpoint);
    },
  };

  return {
    /** An event was appended to the Project's log. */
    wake: reading.wake,
    createEndpoint: (wanted: WantedEndpoint) => createEndpoint(making, wanted),
    findEndpoint: endpoints.findEndpoint,
    listEndpoints: endpoints.listEndpoints,
    async changeEndpoint(named: NamedEndpoint, change: EndpointChange): Promise<WebhookEndpoint> {
      const changed = await changeEndpoint(making, named, change);
      sending.forget(changed.id);
      // Ends the deliveries of a disabled one.
      if (change.state !== undefined) sending.wake(changed);
      return changed;
    },
    async rotateSecret(named: NamedEndpoint, wanted: WantedRotation) {
      const rotated = await rotateSecret(making, named, wanted);
      sending.forget(named.endpointId);
      return rotated;
    },
    async removeEndpoint(projectId: ProjectId, endpointId: WebhookEndpointId): Promise<boolean> {
      const removed = await endpoints.removeEndpoint(projectId, endpointId);
      sending.forget(endpointId);
      // After a crash before this they are removed by the sweep.
      if (removed) await deliveries.removeOfEndpoint(endpointId);
      return removed;
    },
    pingEndpoint: (endpoint: WebhookEndpoint) => pingEndpoint(again, endpoint),
    listDeliveries: (id: WebhookEndpointId, query: DeliveryPageQuery) =>
      deliveries.listDeliveries(id, query),
    redeliverEvent: (endpoint: WebhookEndpoint, eventId: EventId) =>
      redeliverEvent(redelivering, endpoint, eventId),
    redeliverRange: (
      endpoint: WebhookEndpoint,
      { sinceMs, untilMs }: { sinceMs: number; untilMs: number | null },
    ) => redeliverRange(redelivering, endpoint, { sinceMs, untilMs: untilMs ?? clock.now() }),
  };
}
