import type { Clock } from '@inventory/runtime/clock';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { NewDelivery } from '../storage/delivery-mapping.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import type { KeptEntry, ProjectLog } from '../storage/project-log.ts';
import type { ProjectEventAccess } from './project-event-access.ts';
import { toWireEvent } from './wire-event.ts';

export interface PrepareDeps {
  readonly log: Pick<ProjectLog, 'after'>;
  readonly endpoints: Pick<EndpointStore, 'advance'>;
  readonly deliveries: Pick<DeliveryStore, 'insertMissing'>;
  readonly eventAccess: Pick<ProjectEventAccess, 'mayHaveEvents'>;
  readonly clock: Clock;
}

const entriesAtOnce = 200;

/**
 * Makes a delivery of each event that the endpoint has not seen, then moves the endpoint's place.
 * A crash between the two, or a replica at the same work, makes them again: they are there already.
 */
export async function prepareDeliveries(
  { log, endpoints, deliveries, eventAccess, clock }: PrepareDeps,
  endpoint: WebhookEndpoint,
  stopping: AbortSignal,
): Promise<void> {
  if (!(await eventAccess.mayHaveEvents(endpoint.projectId))) return;
  let place = endpoint;
  while (!stopping.aborted) {
    const entries = await log.after(place.projectId, place.nextPosition - 1, entriesAtOnce);
    const last = entries.at(-1);
    if (last === undefined) return;
    const wanted = entries.filter(({ event }) => place.types.includes(event.type));
    await deliveries.insertMissing(
      wanted.map((entry) => deliveryOf(place, entry)),
      clock.now(),
    );
    const nextPosition = last.position + 1;
    const moved = await endpoints.advance(place, nextPosition);
    if (!moved || entries.length < entriesAtOnce) return;
    place = { ...place, nextPosition };
  }
}

export function deliveryOf(
  { id: endpointId, projectId }: WebhookEndpoint,
  { event, appendedAtMs }: KeptEntry,
): NewDelivery {
  const body = JSON.stringify(toWireEvent(event));
  return { endpointId, projectId, eventId: event.id, type: event.type, body, appendedAtMs };
}
