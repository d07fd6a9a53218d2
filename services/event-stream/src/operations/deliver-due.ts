import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { type EndpointLoad, planDeliveries } from '../domain/delivery-plan.ts';
import { concurrencyOf, type HealthLimits } from '../domain/endpoint-health.ts';
import type { Attempt, WebhookDelivery } from '../domain/webhook-delivery.ts';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import { createEndpointTraffic } from './endpoint-traffic.ts';
import { createReadyEndpoints, type ReadyEndpointsDeps } from './ready-endpoints.ts';

export interface DelivererLimits {
  /** Concurrent requests: to all endpoints, to those of one account, and to one. */
  readonly requestsMax: number;
  readonly requestsPerAccountMax: number;
  readonly requestsPerEndpointMax: number;
  /** Duration of its requests from which an endpoint is slow. */
  readonly slowFromMs: number;
  /** Age at which a claim expires. */
  readonly claimMs: number;
}

export interface DelivererDeps extends ReadyEndpointsDeps {
  readonly deliveries: ReadyEndpointsDeps['deliveries'] &
    Pick<DeliveryStore, 'listDue' | 'claimDeliveries' | 'releaseClaim'>;
  readonly attempt: (
    endpoint: WebhookEndpoint,
    claimed: WebhookDelivery,
    signal: AbortSignal,
  ) => Promise<Attempt>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: DelivererLimits;
  readonly health: HealthLimits;
  /** A request ended: another one may start. */
  readonly onSlotReleased: () => void;
}

/** Sends due deliveries: each endpoint has its own queue, accounts take turns. */
export interface Deliverer {
  /** Starts due deliveries; true when more may be due. */
  startDue(): Promise<boolean>;
  /** Deliveries were inserted: the endpoints with due deliveries are listed again. */
  notify(): void;
  /** Ends the hold of an endpoint: a request of its customer changed its deliveries. */
  resume(endpointId: WebhookEndpointId): void;
  /** Waits for requests in flight, then releases those without a response. */
  stop(graceMs: number): Promise<void>;
}

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { deliveries, clock, logger, limits } = deps;
  const aborting = new AbortController();
  const requests = new Set<Promise<void>>();
  const traffic = createEndpointTraffic();
  const ready = createReadyEndpoints(deps);

  async function start(endpoint: WebhookEndpoint, due: readonly WebhookDelivery[]): Promise<void> {
    const claimed = await deliveries.claimDeliveries(due, clock.now() + limits.claimMs);
    for (const delivery of claimed) {
      const end = traffic.begin(endpoint, clock.now());
      const request = send(endpoint, delivery).finally(() => {
        requests.delete(request);
        end();
        deps.onSlotReleased();
      });
      requests.add(request);
    }
  }

  async function send(endpoint: WebhookEndpoint, claimed: WebhookDelivery): Promise<void> {
    try {
      const { durationMs, error } = await deps.attempt(endpoint, claimed, aborting.signal);
      traffic.measured(endpoint.id, durationMs);
      // Its health changed: it is read again before its next request.
      if (error !== null) ready.markStale();
      if (error !== null) ready.drop(endpoint.id);
    } catch (error) {
      // Aborted by the stop, or not recorded: it is sent again, with the same id.
      if (aborting.signal.aborted) {
        await deliveries.releaseClaim(claimed, clock.now()).catch(() => {});
      } else {
        logger.warn({ err: error, endpoint_id: endpoint.id }, 'webhook attempt not recorded');
      }
    }
  }

  function loadOf(endpoint: WebhookEndpoint, nowMs: number): EndpointLoad {
    const { id: endpointId, accountId, health } = endpoint;
    return {
      ...{ endpointId, accountId },
      running: traffic.runningOf(endpointId),
      requestsMax: concurrencyOf(health, limits.requestsPerEndpointMax, deps.health),
      latencyMs: traffic.latencyOf(endpointId, nowMs),
    };
  }

  /** Starts up to `count` due deliveries of one endpoint. */
  async function serve(endpoint: WebhookEndpoint, count: number): Promise<void> {
    const due = await deliveries.listDue(endpoint.id, clock.now(), count);
    // Fewer than planned: its queue is empty until the next listing.
    if (due.length < count) ready.drop(endpoint.id);
    else ready.served(endpoint);
    if (due.length > 0) await start(endpoint, due);
  }

  return {
    async startDue() {
      const nowMs = clock.now();
      if (aborting.signal.aborted || traffic.total >= limits.requestsMax) return false;
      for (const { endpoint, ping } of await ready.refresh(nowMs)) {
        if (traffic.total < limits.requestsMax) await start(endpoint, [ping]);
      }
      const endpoints = new Map(ready.values().map((endpoint) => [endpoint.id, endpoint]));
      const loads = [...endpoints.values()].map((endpoint) => loadOf(endpoint, nowMs));
      const others = traffic.others(new Set(endpoints.keys()), nowMs);
      const planned = planDeliveries(loads, others, limits);
      await Promise.all(
        [...planned].map(async ([id, count]) => {
          const endpoint = endpoints.get(id);
          if (endpoint) await serve(endpoint, count);
        }),
      );
      // An endpoint without due deliveries left the list: its slots are for the next plan.
      return planned.size > 0;
    },
    notify: ready.markStale,
    resume: ready.resume,
    async stop(graceMs) {
      const timer = setTimeout(() => aborting.abort(), graceMs);
      await Promise.all(requests);
      clearTimeout(timer);
    },
  };
}
