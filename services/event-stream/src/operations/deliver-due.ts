import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { concurrencyOf, type HealthLimits } from '../domain/endpoint-health.ts';
import { pingType, type WebhookDelivery } from '../domain/webhook-delivery.ts';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import type { ProjectEventAccess } from './project-event-access.ts';

export interface DelivererLimits {
  /** Concurrent requests, to all endpoints and to one. */
  readonly requestsMax: number;
  readonly requestsPerEndpointMax: number;
  /** Age at which a claim expires. */
  readonly claimMs: number;
}

export interface DelivererDeps {
  readonly deliveries: Pick<
    DeliveryStore,
    'listDue' | 'claimDelivery' | 'failDelivery' | 'releaseClaim' | 'removeOfEndpoint'
  >;
  readonly endpoints: Pick<EndpointStore, 'findEndpoints'>;
  readonly eventAccess: Pick<ProjectEventAccess, 'mayHaveEvents'>;
  readonly attempt: (
    endpoint: WebhookEndpoint,
    claimed: WebhookDelivery,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: DelivererLimits;
  readonly health: HealthLimits;
  /** A request ended: another one may start. */
  readonly onSlotReleased: () => void;
}

/** Sends due deliveries concurrently, with a limit per endpoint. */
export interface Deliverer {
  /** Starts due deliveries; true when some were found. */
  startDue(): Promise<boolean>;
  /** Ends the hold of an endpoint: a request of its customer changed its deliveries. */
  resume(endpointId: WebhookEndpointId): void;
  /** Waits for requests in flight, then releases those without a response. */
  stop(graceMs: number): Promise<void>;
}

type Gate = 'send' | 'full' | 'disabled' | { readonly holdUntilMs: number };

const dueAtOnce = 200;
/** How long a Project that may not receive events is held. */
const holdMs = 5_000;

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { deliveries, endpoints, eventAccess, clock, logger, limits } = deps;
  const aborting = new AbortController();
  const running = new Map<WebhookEndpointId, number>();
  const requests = new Set<Promise<void>>();
  /** Endpoints held until a time, and endpoints at their limit. */
  const heldUntilMs = new Map<WebhookEndpointId, number>();
  const full = new Set<WebhookEndpointId>();

  async function gateOf(endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<Gate> {
    const nowMs = clock.now();
    const isPing = delivery.type === pingType;
    if (endpoint.state === 'disabled' && !isPing) return 'disabled';
    if (endpoint.secrets.length === 0) {
      logger.error(
        { endpoint_id: endpoint.id },
        'no key of WEBHOOK_SECRET_KEYS decrypts the secrets of the endpoint',
      );
      return { holdUntilMs: nowMs + holdMs };
    }
    if (!(await eventAccess.mayHaveEvents(endpoint.projectId))) {
      return { holdUntilMs: nowMs + holdMs };
    }
    const { pausedUntilMs } = endpoint.health;
    if (pausedUntilMs > nowMs && !isPing) return { holdUntilMs: pausedUntilMs };
    const most = concurrencyOf(endpoint.health, limits.requestsPerEndpointMax, deps.health);
    return (running.get(endpoint.id) ?? 0) < most ? 'send' : 'full';
  }

  async function start(endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<void> {
    const claimed = await deliveries.claimDelivery(delivery, clock.now() + limits.claimMs);
    if (claimed === null) return;
    running.set(endpoint.id, (running.get(endpoint.id) ?? 0) + 1);
    const request = send(endpoint, claimed).finally(() => {
      requests.delete(request);
      const left = (running.get(endpoint.id) ?? 1) - 1;
      if (left > 0) running.set(endpoint.id, left);
      else running.delete(endpoint.id);
      full.delete(endpoint.id);
      deps.onSlotReleased();
    });
    requests.add(request);
  }

  async function send(endpoint: WebhookEndpoint, claimed: WebhookDelivery): Promise<void> {
    try {
      await deps.attempt(endpoint, claimed, aborting.signal);
    } catch (error) {
      // Aborted by the stop, or not recorded: it is sent again, with the same id.
      if (aborting.signal.aborted)
        await deliveries.releaseClaim(claimed, clock.now()).catch(() => {});
      else logger.warn({ err: error, endpoint_id: endpoint.id }, 'webhook attempt not recorded');
    }
  }

  async function take(delivery: WebhookDelivery, endpoint: WebhookEndpoint): Promise<void> {
    const isHeld = heldUntilMs.has(endpoint.id) && delivery.type !== pingType;
    if (isHeld || full.has(endpoint.id)) return;
    const gate = await gateOf(endpoint, delivery);
    if (gate === 'send') await start(endpoint, delivery);
    else if (gate === 'full') full.add(endpoint.id);
    else if (gate === 'disabled') await deliveries.failDelivery(delivery, 'endpoint_disabled');
    else heldUntilMs.set(endpoint.id, gate.holdUntilMs);
  }

  return {
    async startDue() {
      const nowMs = clock.now();
      for (const [id, untilMs] of heldUntilMs) if (untilMs <= nowMs) heldUntilMs.delete(id);
      if (requests.size >= limits.requestsMax) return false;
      const due = await deliveries.listDue(nowMs, [...full, ...heldUntilMs.keys()], dueAtOnce);
      if (due.length === 0) return false;
      const ids = [...new Set(due.map(({ endpointId }) => endpointId))];
      const found = new Map((await endpoints.findEndpoints(ids)).map((one) => [one.id, one]));
      for (const id of ids) if (!found.has(id)) await deliveries.removeOfEndpoint(id);
      // Concurrent lookups fill the cache that the deliveries read.
      const projects = new Set([...found.values()].map(({ projectId }) => projectId));
      await Promise.all([...projects].map((id) => eventAccess.mayHaveEvents(id)));
      for (const delivery of due) {
        if (requests.size >= limits.requestsMax || aborting.signal.aborted) break;
        const endpoint = found.get(delivery.endpointId);
        if (endpoint) await take(delivery, endpoint);
      }
      return true;
    },
    resume(endpointId) {
      heldUntilMs.delete(endpointId);
    },
    async stop(graceMs) {
      const timer = setTimeout(() => aborting.abort(), graceMs);
      await Promise.all(requests);
      clearTimeout(timer);
    },
  };
}
