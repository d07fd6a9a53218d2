import type { Clock } from '@inventory/runtime/clock';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { NewDelivery } from '../storage/delivery-mapping.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import type { KeptEntry, ProjectLog } from '../storage/project-log.ts';
import type { ProjectEventAccess } from './project-event-access.ts';

export interface PrepareDeps {
  readonly log: Pick<ProjectLog, 'listAfter'>;
  readonly endpoints: Pick<EndpointStore, 'advancePosition' | 'findEndpoint'>;
  readonly deliveries: Pick<DeliveryStore, 'insertMissing'>;
  readonly eventAccess: Pick<ProjectEventAccess, 'mayHaveEvents'>;
  readonly clock: Clock;
}

const entriesAtOnce = 200;

/**
 * Inserts a delivery for each event from the endpoint's position on, then advances the position.
 * After a crash between the two, or with concurrent replicas, the insert finds existing ones. When
 * the endpoint changed in between, its page is read again under its present types, so that no event
 * of an added type is skipped.
 */
export async function prepareDeliveries(
  { log, endpoints, deliveries, eventAccess, clock }: PrepareDeps,
  endpoint: WebhookEndpoint,
  stopping: AbortSignal,
): Promise<void> {
  if (!(await eventAccess.mayHaveEvents(endpoint.projectId))) return;
  let place = endpoint;
  while (!stopping.aborted) {
    const entries = await log.listAfter(place.projectId, place.nextPosition - 1, entriesAtOnce);
    const last = entries.at(-1);
    if (last === undefined) return;
    const wanted = entries.filter(({ type }) => place.types.includes(type));
    const nowMs = clock.now();
    await deliveries.insertMissing(
      wanted.map((entry) => deliveryOf(place, entry)),
      nowMs,
    );
    const nextPosition = last.position + 1;
    const dueAtMs = wanted.length > 0 ? nowMs : null;
    if (await endpoints.advancePosition(place, nextPosition, dueAtMs)) {
      if (entries.length < entriesAtOnce) return;
      place = { ...place, nextPosition };
    } else {
      const changed = await endpoints.findEndpoint(place.projectId, place.id);
      // Another replica advanced the position and continues from it.
      if (changed?.state !== 'enabled' || changed.nextPosition !== place.nextPosition) return;
      place = changed;
    }
  }
}

export function deliveryOf(
  { id: endpointId, projectId }: WebhookEndpoint,
  { eventId, type, json: body, appendedAtMs }: KeptEntry,
): NewDelivery {
  return { endpointId, projectId, eventId, type, body, appendedAtMs };
}
