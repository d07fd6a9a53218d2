import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { Logger } from '@inventory/runtime/logger';
import type { WebhookDelivery } from '../domain/webhook-delivery.ts';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import type { ProjectEventAccess } from './project-event-access.ts';

export interface ReadyEndpointsDeps {
  readonly deliveries: Pick<
    DeliveryStore,
    'listPendingEndpoints' | 'listDuePings' | 'failOfEndpoint' | 'removeOfEndpoint'
  >;
  readonly endpoints: Pick<EndpointStore, 'findEndpoints'>;
  readonly eventAccess: Pick<ProjectEventAccess, 'mayHaveEvents'>;
  readonly logger: Logger;
}

export interface DuePing {
  readonly endpoint: WebhookEndpoint;
  readonly ping: WebhookDelivery;
}

/** Endpoints that may have due deliveries and may be sent them, least recently served first. */
export interface ReadyEndpoints {
  /** Lists them again when the list is old or stale; returns the due tests. */
  refresh(nowMs: number): Promise<readonly DuePing[]>;
  values(): readonly WebhookEndpoint[];
  /** Moves an endpoint to the end of the order. */
  served(endpoint: WebhookEndpoint): void;
  drop(endpointId: WebhookEndpointId): void;
  markStale(): void;
  /** Ends the hold of an endpoint. */
  resume(endpointId: WebhookEndpointId): void;
}

/** How long a Project that may not receive events is held. */
const holdMs = 5_000;
const listEveryMs = 250;
const pingsAtOnce = 50;

export function createReadyEndpoints(deps: ReadyEndpointsDeps): ReadyEndpoints {
  const { deliveries, endpoints } = deps;
  const heldUntilMs = new Map<WebhookEndpointId, number>();
  let ready = new Map<WebhookEndpointId, WebhookEndpoint>();
  let listedAtMs = Number.NEGATIVE_INFINITY;

  async function isReady(endpoint: WebhookEndpoint, nowMs: number): Promise<boolean> {
    if (endpoint.state === 'disabled') {
      await deliveries.failOfEndpoint(endpoint.id, 'endpoint_disabled');
      return false;
    }
    const untilMs = Math.max(
      await heldByAccess(deps, endpoint, nowMs),
      endpoint.health.pausedUntilMs,
    );
    if (untilMs > nowMs) heldUntilMs.set(endpoint.id, untilMs);
    return untilMs <= nowMs;
  }

  /** The cost follows endpoints with pending deliveries, not deliveries. */
  async function list(nowMs: number): Promise<ReadonlyMap<WebhookEndpointId, WebhookEndpoint>> {
    const ids = await deliveries.listPendingEndpoints();
    const found = new Map((await endpoints.findEndpoints(ids)).map((one) => [one.id, one]));
    for (const id of ids) if (!found.has(id)) await deliveries.removeOfEndpoint(id);
    const open = [...found.values()].filter(({ id }) => !heldUntilMs.has(id));
    const results = await Promise.all(open.map((endpoint) => isReady(endpoint, nowMs)));
    const next = new Map(open.filter((_, index) => results[index]).map((one) => [one.id, one]));
    // The order of turns outlives the listing.
    const known = [...ready.keys()].filter((id) => next.has(id));
    const order = new Set([...known, ...next.keys()]);
    ready = new Map([...order].map((id) => [id, next.get(id) as WebhookEndpoint]));
    return found;
  }

  return {
    async refresh(nowMs) {
      if (nowMs - listedAtMs < listEveryMs) return [];
      listedAtMs = nowMs;
      for (const [id, untilMs] of heldUntilMs) if (untilMs <= nowMs) heldUntilMs.delete(id);
      const found = await list(nowMs);
      const due: DuePing[] = [];
      for (const ping of await deliveries.listDuePings(nowMs, pingsAtOnce)) {
        const endpoint = found.get(ping.endpointId);
        if (endpoint && (await heldByAccess(deps, endpoint, nowMs)) === 0)
          due.push({ endpoint, ping });
      }
      return due;
    },
    values: () => [...ready.values()],
    served(endpoint) {
      if (ready.delete(endpoint.id)) ready.set(endpoint.id, endpoint);
    },
    drop: (endpointId) => void ready.delete(endpointId),
    markStale() {
      listedAtMs = Number.NEGATIVE_INFINITY;
    },
    resume(endpointId) {
      heldUntilMs.delete(endpointId);
      listedAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The time until which nothing is sent: without access or usable secrets; else 0. */
async function heldByAccess(
  { eventAccess, logger }: ReadyEndpointsDeps,
  { id, projectId, secrets }: WebhookEndpoint,
  nowMs: number,
): Promise<number> {
  if (secrets.length === 0) {
    const context = { endpoint_id: id };
    logger.error(context, 'no key of WEBHOOK_SECRET_KEYS decrypts the secrets of the endpoint');
    return nowMs + holdMs;
  }
  return (await eventAccess.mayHaveEvents(projectId)) ? 0 : nowMs + holdMs;
}
