import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { EndpointQueues } from '../storage/endpoint-queues.ts';
import type { DeliveryStore } from '../webhooks/delivery-store.ts';

export interface EndDeliveriesDeps {
  readonly deliveries: Pick<
    DeliveryStore,
    'findPendingEndpoint' | 'failOfEndpoint' | 'removeOfEndpoint'
  >;
  readonly queues: Pick<EndpointQueues, 'readQueues' | 'endpointExists'>;
  readonly clock: Clock;
  readonly sweepEveryMs: number;
}

/** Ends the deliveries of disabled and deleted endpoints, apart from what is being sent. */
export interface DeliveryEnding {
  /** The endpoint is disabled or deleted. */
  notify(endpointId: WebhookEndpointId): void;
  endStopped(stopping: AbortSignal): Promise<void>;
}

const failedAtOnce = 500;
const endpointsAtOnce = 100;
/** Beyond it an endpoint waits for the sweep. */
const notifiedMax = 10_000;

export function createDeliveryEnding(deps: EndDeliveriesDeps): DeliveryEnding {
  const { deliveries, queues, clock, sweepEveryMs } = deps;
  const notified = new Set<WebhookEndpointId>();
  let nextSweepMs = Number.NEGATIVE_INFINITY;

  /** In parts, and not beyond an enabling: what is still pending then is sent. */
  async function endOf(endpointId: WebhookEndpointId, stopping: AbortSignal): Promise<void> {
    for (let count = failedAtOnce; count === failedAtOnce && !stopping.aborted; ) {
      const [queue] = await queues.readQueues([endpointId]);
      if (queue === undefined) {
        // Those of a corrupt endpoint are sent once it is repaired.
        if (!(await queues.endpointExists(endpointId)))
          await deliveries.removeOfEndpoint(endpointId);
        return;
      }
      if (queue.endpoint.state === 'enabled') return;
      count = await deliveries.failOfEndpoint(endpointId, 'endpoint_disabled', failedAtOnce);
    }
  }

  /** One query per endpoint with pending deliveries. */
  async function sweep(stopping: AbortSignal): Promise<void> {
    let after: WebhookEndpointId | null = null;
    for (let count = endpointsAtOnce; count === endpointsAtOnce && !stopping.aborted; ) {
      const ids: WebhookEndpointId[] = [];
      while (ids.length < endpointsAtOnce) {
        after = await deliveries.findPendingEndpoint(after);
        if (after === null) break;
        ids.push(after);
      }
      count = ids.length;
      const found = await queues.readQueues(ids);
      const states = new Map(found.map(({ endpoint: { id, state } }) => [id, state]));
      for (const id of ids) if (states.get(id) !== 'enabled') await endOf(id, stopping);
    }
  }

  return {
    notify(endpointId) {
      if (notified.size < notifiedMax) notified.add(endpointId);
    },
    async endStopped(stopping) {
      for (const endpointId of notified) {
        notified.delete(endpointId);
        await endOf(endpointId, stopping);
      }
      if (clock.now() < nextSweepMs) return;
      nextSweepMs = clock.now() + sweepEveryMs;
      await sweep(stopping);
    },
  };
}
