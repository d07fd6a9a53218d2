import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Attempt, WebhookDelivery } from '../domain/webhook-delivery.ts';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { EndpointTraffic } from './endpoint-traffic.ts';
import type { DueDelivery } from './serve-queue.ts';

export interface SendClaimedDeps {
  readonly deliveries: Pick<DeliveryStore, 'claimDeliveries' | 'releaseClaim'>;
  readonly attempt: (
    endpoint: WebhookEndpoint,
    claimed: WebhookDelivery,
    signal: AbortSignal,
  ) => Promise<Attempt>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: { readonly claimMs: number };
  /** A request ended: another one may start. */
  readonly onSlotReleased: () => void;
}

/** The requests in flight of this replica. */
export interface WebhookRequests {
  /** Claims deliveries in one write and sends those that were claimed. */
  start(due: readonly DueDelivery[]): Promise<void>;
  readonly isStopping: boolean;
  /** Waits for requests in flight, then releases those without a response. */
  stop(graceMs: number): Promise<void>;
}

export function createWebhookRequests(
  deps: SendClaimedDeps,
  traffic: EndpointTraffic,
): WebhookRequests {
  const { deliveries, clock, logger, limits } = deps;
  const aborting = new AbortController();
  const requests = new Set<Promise<void>>();

  async function send(endpoint: WebhookEndpoint, claimed: WebhookDelivery): Promise<void> {
    try {
      const { durationMs } = await deps.attempt(endpoint, claimed, aborting.signal);
      traffic.measured(endpoint.id, durationMs);
    } catch (error) {
      // Aborted by the stop, or not recorded: it is sent again, with the same id.
      if (aborting.signal.aborted) {
        await deliveries.releaseClaim(claimed, clock.now()).catch(() => {});
      } else {
        logger.warn({ err: error, endpoint_id: endpoint.id }, 'webhook attempt not recorded');
      }
    }
  }

  return {
    get isStopping() {
      return aborting.signal.aborted;
    },
    async start(due) {
      const endpoints = new Map(due.map(({ endpoint }) => [endpoint.id, endpoint]));
      const untilMs = clock.now() + limits.claimMs;
      const claims = due.map(({ delivery }) => delivery);
      for (const claimed of await deliveries.claimDeliveries(claims, untilMs)) {
        const endpoint = endpoints.get(claimed.endpointId);
        if (endpoint === undefined) continue;
        const end = traffic.begin(endpoint, clock.now());
        const request = send(endpoint, claimed).finally(() => {
          requests.delete(request);
          end();
          deps.onSlotReleased();
        });
        requests.add(request);
      }
    },
    async stop(graceMs) {
      const timer = setTimeout(() => aborting.abort(), graceMs);
      await Promise.all(requests);
      clearTimeout(timer);
    },
  };
}
