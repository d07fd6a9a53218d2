import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { RecordedAttempt } from '../webhooks/attempt-delivery.ts';
import type { DeliveryStore } from '../webhooks/delivery-store.ts';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.domain.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';
import type { EndpointTraffic } from './endpoint-traffic.ts';
import type { DueDelivery } from './serve-queue.ts';
import type { UnstoredPages } from './unstored-pages.ts';

export interface SendClaimedDeps {
  readonly deliveries: Pick<DeliveryStore, 'claimDeliveries' | 'releaseClaim'>;
  readonly attempt: (
    endpoint: WebhookEndpoint,
    claimed: WebhookDelivery,
    signal: AbortSignal,
  ) => Promise<RecordedAttempt>;
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
  /** Sends deliveries of a page, which are not stored yet. */
  startUnstored(endpoint: WebhookEndpoint, deliveries: readonly WebhookDelivery[]): void;
  readonly isStopping: boolean;
  /** Waits for requests in flight, then releases those without a response. */
  stop(graceMs: number): Promise<void>;
}

export function createWebhookRequests(
  deps: SendClaimedDeps,
  traffic: EndpointTraffic,
  pages: Pick<UnstoredPages, 'ended' | 'release'>,
): WebhookRequests {
  const { deliveries, clock, logger, limits } = deps;
  const aborting = new AbortController();
  const requests = new Set<Promise<void>>();
  let isStopping = false;

  /** True when the result was recorded. */
  async function attempt(
    endpoint: WebhookEndpoint,
    claimed: WebhookDelivery,
    onAnswer: () => void,
  ): Promise<boolean> {
    try {
      const { attempt, recorded } = await deps.attempt(endpoint, claimed, aborting.signal);
      traffic.measured(endpoint.id, attempt.durationMs);
      // The endpoint may be paused: what waits is inserted.
      if (attempt.error !== null) pages.release(endpoint.id);
      onAnswer();
      await recorded;
      return true;
    } catch (error) {
      // Aborted by the stop, or not recorded: it is sent again, with the same id.
      if (!aborting.signal.aborted) {
        logger.warn({ err: error, endpoint_id: endpoint.id }, 'webhook attempt not recorded');
      }
      onAnswer();
      return false;
    }
  }

  async function send(endpoint: WebhookEndpoint, claimed: WebhookDelivery): Promise<void> {
    const end = traffic.begin(endpoint, clock.now());
    const isRecorded = await attempt(endpoint, claimed, () => {
      end();
      deps.onSlotReleased();
    });
    if (claimed.claim === 0) pages.ended(claimed, isRecorded);
    else if (!isRecorded && aborting.signal.aborted) {
      await deliveries.releaseClaim(claimed, clock.now()).catch(() => {});
    }
  }

  function begin(endpoint: WebhookEndpoint, claimed: WebhookDelivery): void {
    const request = send(endpoint, claimed).finally(() => requests.delete(request));
    requests.add(request);
  }

  return {
    get isStopping() {
      return isStopping;
    },
    async start(due) {
      const endpoints = new Map(due.map(({ endpoint }) => [endpoint.id, endpoint]));
      const untilMs = clock.now() + limits.claimMs;
      const claims = due.map(({ delivery }) => delivery);
      for (const claimed of await deliveries.claimDeliveries(claims, untilMs)) {
        const endpoint = endpoints.get(claimed.endpointId);
        if (endpoint !== undefined) begin(endpoint, claimed);
      }
    },
    startUnstored(endpoint, unstored) {
      for (const delivery of unstored) begin(endpoint, delivery);
    },
    async stop(graceMs) {
      isStopping = true;
      const timer = setTimeout(() => aborting.abort(), graceMs);
      while (requests.size > 0) await Promise.all(requests);
      clearTimeout(timer);
    },
  };
}
