import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { EndpointQueue, EndpointQueues } from '../storage/endpoint-queues.ts';
import type { DeliveryStore } from '../webhooks/delivery-store.ts';
import { concurrencyOf, type HealthLimits } from '../webhooks/endpoint-health.domain.ts';
import type { ProjectEventAccess } from '../webhooks/event-access.ts';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.domain.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';

export interface AccessDeps {
  readonly eventAccess: Pick<ProjectEventAccess, 'mayHaveEvents'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ServeQueueDeps extends AccessDeps {
  readonly queues: EndpointQueues;
  readonly deliveries: Pick<DeliveryStore, 'listDue' | 'listDuePings' | 'findNextAttempt'>;
  /** The endpoint is disabled or deleted: its deliveries are to be ended. */
  readonly onStopped: (endpointId: WebhookEndpointId) => void;
  readonly limits: { readonly requestsPerEndpointMax: number; readonly claimMs: number };
  readonly health: HealthLimits;
}

export interface DueDelivery {
  readonly endpoint: WebhookEndpoint;
  readonly delivery: WebhookDelivery;
}

export interface WantedDeliveries {
  readonly endpointId: WebhookEndpointId;
  /** Undefined when the endpoint does not exist. */
  readonly queue: EndpointQueue | undefined;
  /** Requests that may start, and those in flight. */
  readonly count: number;
  readonly running: number;
  /** Due deliveries that were read before and not claimed. */
  readonly ahead: readonly WebhookDelivery[];
}

export interface Served {
  readonly due: readonly DueDelivery[];
  /** Concurrency that the endpoint's health allows; null when its queue is not due any more. */
  readonly requestsMax: number | null;
  readonly ahead: readonly WebhookDelivery[];
  /** Everything due was claimed: the log may have more. */
  readonly isDrained?: boolean;
}

/** Due deliveries per read. Those beyond the wanted ones are claimed later, if still unclaimed. */
const readAtOnce = 20;
/** How long a Project that may not receive events is held. */
const holdMs = 5_000;
const nothing: Served = { due: [], requestsMax: null, ahead: [] };

/** Reads due deliveries of an endpoint. A queue that may not be sent to now is moved in one write. */
export async function serveQueue(
  deps: ServeQueueDeps,
  { endpointId, queue, count, running, ahead }: WantedDeliveries,
): Promise<Served> {
  const { queues, deliveries, clock, limits } = deps;
  if (queue === undefined || queue.endpoint.state === 'disabled') {
    deps.onStopped(endpointId);
    return nothing;
  }
  const nowMs = clock.now();
  const { endpoint } = queue;
  const heldUntilMs = Math.max(await heldByAccess(deps, endpoint), endpoint.health.pausedUntilMs);
  if (heldUntilMs > nowMs) {
    await queues.postpone(queue, heldUntilMs);
    return nothing;
  }
  const requestsMax = concurrencyOf(endpoint.health, limits.requestsPerEndpointMax, deps.health);
  const wanted = Math.min(count, requestsMax - running);
  if (wanted <= 0) return { due: [], requestsMax, ahead };
  const isKnown = ahead.length > 0;
  const atOnce = Math.max(wanted, readAtOnce);
  const all = isKnown ? ahead : await deliveries.listDue(endpointId, nowMs, atOnce);
  const [due, rest] = [all.slice(0, wanted), all.slice(wanted)];
  const served = due.map((delivery) => ({ endpoint, delivery }));
  if (isKnown || due.length === wanted) return { due: served, requestsMax, ahead: rest };
  const nextMs = await deliveries.findNextAttempt(endpointId, nowMs);
  const claimedMs = due.length > 0 ? nowMs + limits.claimMs : null;
  const isEmpty = await queues.postpone(queue, earlier(nextMs, claimedMs));
  return { due: served, requestsMax: isEmpty ? null : requestsMax, ahead: [], isDrained: isEmpty };
}

/** Due tests of endpoints that may be sent to; tests are sent to paused and disabled ones too. */
export async function readDuePings(deps: ServeQueueDeps, limit: number): Promise<DueDelivery[]> {
  const nowMs = deps.clock.now();
  const pings = await deps.deliveries.listDuePings(nowMs, limit);
  if (pings.length === 0) return [];
  const queues = await deps.queues.readQueues(pings.map(({ endpointId }) => endpointId));
  const endpoints = new Map(queues.map(({ endpoint }) => [endpoint.id, endpoint]));
  const due = await Promise.all(
    pings.map(async (delivery) => {
      const endpoint = endpoints.get(delivery.endpointId);
      if (endpoint === undefined) deps.onStopped(delivery.endpointId);
      else if ((await heldByAccess(deps, endpoint)) === 0) return [{ endpoint, delivery }];
      return [];
    }),
  );
  return due.flat();
}

/** The time until which nothing is sent: without access or usable secrets; else 0. */
export async function heldByAccess(
  { eventAccess, clock, logger }: AccessDeps,
  { id, projectId, secrets }: WebhookEndpoint,
): Promise<number> {
  if (secrets.length === 0) {
    const context = { endpoint_id: id };
    logger.error(context, 'no key of WEBHOOK_SECRET_KEYS decrypts the secrets of the endpoint');
    return clock.now() + holdMs;
  }
  return (await eventAccess.mayHaveEvents(projectId)) ? 0 : clock.now() + holdMs;
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
