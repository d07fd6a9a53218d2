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
  /** Requests under way at once, to all endpoints and to one. */
  readonly requestsMax: number;
  readonly requestsPerEndpointMax: number;
  /** Age of a claim from which another replica takes the delivery on. */
  readonly claimMs: number;
}

export interface DelivererDeps {
  readonly deliveries: Pick<DeliveryStore, 'due' | 'claim' | 'end' | 'release' | 'removeOf'>;
  readonly endpoints: Pick<EndpointStore, 'findMany'>;
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
  /** A request ended: there may be room for another. */
  readonly onRoom: () => void;
}

/** Sends what is due, many at once, few to one endpoint. */
export interface Deliverer {
  /** Takes on what is due now; true when something was found. */
  round(): Promise<boolean>;
  /** Looks at an endpoint again that was to be left alone: somebody asks something of it. */
  look(endpointId: WebhookEndpointId): void;
  /** Waits for the requests under way, then gives back what has no answer yet. */
  stop(graceMs: number): Promise<void>;
}

type Gate = 'send' | 'full' | 'disabled' | { readonly holdUntilMs: number };

const dueAtOnce = 200;
/** How long a Project that may not be sent its events now is left alone. */
const holdMs = 5_000;

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { deliveries, endpoints, eventAccess, clock, logger, limits } = deps;
  const aborting = new AbortController();
  const running = new Map<WebhookEndpointId, number>();
  const requests = new Set<Promise<void>>();
  /** Endpoints that are not looked at before a time; those without room until there is some. */
  const heldUntilMs = new Map<WebhookEndpointId, number>();
  const full = new Set<WebhookEndpointId>();

  async function gateOf(endpoint: WebhookEndpoint, delivery: WebhookDelivery): Promise<Gate> {
    const nowMs = clock.now();
    const isPing = delivery.type === pingType;
    if (endpoint.state === 'disabled' && !isPing) return 'disabled';
    if (endpoint.secrets.length === 0) {
      logger.error({ endpoint_id: endpoint.id }, 'no key of WEBHOOK_SECRET_KEYS opens its secrets');
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
    const claimed = await deliveries.claim(delivery, clock.now() + limits.claimMs);
    if (claimed === null) return;
    running.set(endpoint.id, (running.get(endpoint.id) ?? 0) + 1);
    const request = send(endpoint, claimed).finally(() => {
      requests.delete(request);
      const left = (running.get(endpoint.id) ?? 1) - 1;
      if (left > 0) running.set(endpoint.id, left);
      else running.delete(endpoint.id);
      full.delete(endpoint.id);
      deps.onRoom();
    });
    requests.add(request);
  }

  async function send(endpoint: WebhookEndpoint, claimed: WebhookDelivery): Promise<void> {
    try {
      await deps.attempt(endpoint, claimed, aborting.signal);
    } catch (error) {
      // Cut short by our own end, or not recorded: it is sent again, with the same id.
      if (aborting.signal.aborted) await deliveries.release(claimed, clock.now()).catch(() => {});
      else logger.warn({ err: error, endpoint_id: endpoint.id }, 'an attempt was not recorded');
    }
  }

  async function take(delivery: WebhookDelivery, endpoint: WebhookEndpoint): Promise<void> {
    const isHeld = heldUntilMs.has(endpoint.id) && delivery.type !== pingType;
    if (isHeld || full.has(endpoint.id)) return;
    const gate = await gateOf(endpoint, delivery);
    if (gate === 'send') await start(endpoint, delivery);
    else if (gate === 'full') full.add(endpoint.id);
    else if (gate === 'disabled') await deliveries.end(delivery, 'endpoint_disabled');
    else heldUntilMs.set(endpoint.id, gate.holdUntilMs);
  }

  return {
    async round() {
      const nowMs = clock.now();
      for (const [id, untilMs] of heldUntilMs) if (untilMs <= nowMs) heldUntilMs.delete(id);
      if (requests.size >= limits.requestsMax) return false;
      const due = await deliveries.due(nowMs, [...full, ...heldUntilMs.keys()], dueAtOnce);
      if (due.length === 0) return false;
      const ids = [...new Set(due.map(({ endpointId }) => endpointId))];
      const found = new Map((await endpoints.findMany(ids)).map((one) => [one.id, one]));
      for (const id of ids) if (!found.has(id)) await deliveries.removeOf(id);
      // Asked beside each other: then each delivery finds its answer.
      const projects = new Set([...found.values()].map(({ projectId }) => projectId));
      await Promise.all([...projects].map((id) => eventAccess.mayHaveEvents(id)));
      for (const delivery of due) {
        if (requests.size >= limits.requestsMax || aborting.signal.aborted) break;
        const endpoint = found.get(delivery.endpointId);
        if (endpoint) await take(delivery, endpoint);
      }
      return true;
    },
    look(endpointId) {
      heldUntilMs.delete(endpointId);
    },
    async stop(graceMs) {
      const timer = setTimeout(() => aborting.abort(), graceMs);
      await Promise.all(requests);
      clearTimeout(timer);
    },
  };
}
