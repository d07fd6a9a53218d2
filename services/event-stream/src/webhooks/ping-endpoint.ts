import type { EventId } from '@inventory/contracts/ids';
import { type Clock, isoTime } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { DeliveryStore } from './delivery-store.ts';
import { pingType } from './webhook-delivery.domain.ts';
import type { WebhookEndpoint } from './webhook-endpoint.domain.ts';

export interface PingDeps {
  readonly deliveries: Pick<DeliveryStore, 'insertMissing'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly wake: () => void;
}

/** Schedules a signed test event, which is in no log; it is sent to a disabled endpoint too. */
export async function pingEndpoint(
  { deliveries, clock, identifiers, wake }: PingDeps,
  { id: endpointId, projectId }: WebhookEndpoint,
): Promise<EventId> {
  const nowMs = clock.now();
  const eventId: EventId = `evt_${identifiers.uuidV7()}`;
  const body = JSON.stringify({
    id: eventId,
    version: 1,
    type: pingType,
    occurred_at: isoTime(nowMs),
    project_id: projectId,
    data: { endpoint_id: endpointId },
    links: {},
  });
  const ping = {
    endpointId,
    projectId,
    eventId,
    type: pingType,
    body,
    appendedAtMs: null,
  } as const;
  await deliveries.insertMissing([ping], nowMs);
  wake();
  return eventId;
}
