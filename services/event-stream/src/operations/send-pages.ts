import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { latencyClassOf, type PlanLimits, planDeliveries } from '../domain/delivery-plan.ts';
import type { EndpointQueues } from '../storage/endpoint-queues.ts';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.domain.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';
import type { EndpointTraffic } from './endpoint-traffic.ts';
import type { ReadyQueues } from './ready-queues.ts';
import type { WebhookRequests } from './send-claimed.ts';
import { type AccessDeps, heldByAccess } from './serve-queue.ts';
import type { PageEnd, UnstoredPages } from './unstored-pages.ts';

/**
 * How the events of an endpoint's log are delivered: sent, and stored with their first result, while
 * it keeps up; not yet, while it keeps up but has stored deliveries; else inserted first.
 */
export type PageMode = 'send' | 'wait' | 'insert';

export interface PageSending {
  /** A request to the endpoint may start now, or its account has requests on this replica. */
  hasSlotFor(endpoint: Pick<WebhookEndpoint, 'id' | 'accountId'>): boolean;
  /** Of an endpoint whose account this replica holds. */
  modeOf(endpoint: WebhookEndpoint): PageMode;
  /**
   * Sends deliveries that are not stored; `onEnd` receives those that are left for insertion.
   * Resolves when another page of the endpoint may be sent.
   */
  send(
    endpoint: WebhookEndpoint,
    deliveries: readonly WebhookDelivery[],
    onEnd: PageEnd,
  ): Promise<void>;
  /** A page of the endpoint is being sent. */
  isSending(endpointId: WebhookEndpointId): boolean;
}

export interface PageServing extends PageSending {
  /** Releases the pages of endpoints that no longer keep up. */
  releaseSlow(nowMs: number): void;
  /** Starts as many deliveries of pages as planned; returns how many, per endpoint. */
  serve(planned: ReadonlyMap<WebhookEndpointId, number>): Promise<Map<WebhookEndpointId, number>>;
  /** Endpoints as they are stored now; one that does not exist is absent. */
  readEndpoints(ids: readonly WebhookEndpointId[]): Promise<readonly WebhookEndpoint[]>;
  /** The endpoint changed: it is read before its next delivery. */
  forget(endpointId: WebhookEndpointId): void;
}

export interface SendPagesDeps extends AccessDeps {
  readonly queues: Pick<EndpointQueues, 'readQueues'>;
  readonly limits: PlanLimits & { readonly requestsPerEndpointMax: number };
  readonly onSlotReleased: () => void;
  readonly traffic: EndpointTraffic;
  readonly pages: UnstoredPages;
  readonly requests: WebhookRequests;
  readonly ready: ReadyQueues;
}

/** Deliveries of pages in memory; beyond it they are inserted. */
const waitingMax = 10_000;
/** A change of an endpoint applies to the requests that start this much later, on any replica. */
const freshMs = 250;

export function createPageServing(deps: SendPagesDeps): PageServing {
  const { clock, limits, pages, ready, requests, traffic } = deps;
  const endpoints = createRecentEndpoints(deps.queues);

  const isFast = (id: WebhookEndpointId, nowMs: number) =>
    latencyClassOf(traffic.latencyOf(id, nowMs), limits.slowFromMs) === 'fast';

  async function keepsUp(endpoint: WebhookEndpoint | undefined): Promise<boolean> {
    if (endpoint?.state !== 'enabled' || endpoint.health.failures > 0) return false;
    return (await heldByAccess(deps, endpoint)) === 0;
  }

  return {
    hasSlotFor({ id, accountId }) {
      if (traffic.runningOfAccount(accountId) > 0) return true;
      const nowMs = clock.now();
      const load = { running: 0, latencyMs: traffic.latencyOf(id, nowMs) };
      const ready = {
        ...{ ...load, accountId, endpointId: id },
        requestsMax: limits.requestsPerEndpointMax,
      };
      return planDeliveries([ready], traffic.others(new Set(), nowMs), limits).size > 0;
    },
    modeOf({ id, health }) {
      const isSent = health.failures === 0 && isFast(id, clock.now());
      if (!isSent || requests.isStopping || pages.waiting >= waitingMax) return 'insert';
      return ready.has(id) ? 'wait' : 'send';
    },
    send(endpoint, deliveries, onEnd) {
      endpoints.moved(endpoint);
      const ended = pages.add(endpoint, deliveries, onEnd);
      if (requests.isStopping) pages.release(endpoint.id);
      else deps.onSlotReleased();
      return ended;
    },
    isSending: pages.has,
    releaseSlow(nowMs) {
      for (const { endpointId } of pages.values()) {
        if (!isFast(endpointId, nowMs)) pages.release(endpointId);
      }
    },
    async serve(planned) {
      const wanted = [...planned].filter(([id]) => pages.has(id));
      const found = await endpoints.read(
        wanted.map(([id]) => id),
        clock.now(),
      );
      const started = new Map<WebhookEndpointId, number>();
      for (const [id, count] of wanted) {
        const endpoint = found.get(id);
        // A position that moved: it was disabled and enabled, and is not sent what it missed.
        const isCurrent = endpoint?.nextPosition === pages.positionOf(id);
        if (endpoint === undefined || !isCurrent || !(await keepsUp(endpoint))) {
          pages.release(id);
          continue;
        }
        const taken = pages.take(id, count);
        requests.startUnstored(endpoint, taken);
        started.set(id, taken.length);
      }
      return started;
    },
    readEndpoints: async (ids) => endpoints.readNow(ids, clock.now()),
    forget: endpoints.forget,
  };
}

/** Endpoints as read {@link freshMs} ago at most; one that does not exist is absent. */
function createRecentEndpoints(queues: Pick<EndpointQueues, 'readQueues'>) {
  const recent = new Map<WebhookEndpointId, { endpoint: WebhookEndpoint; readMs: number }>();

  function dropOlder(thanMs: number): void {
    for (const [id, { readMs }] of recent) if (readMs < thanMs) recent.delete(id);
  }

  async function readNow(
    ids: readonly WebhookEndpointId[],
    nowMs: number,
  ): Promise<WebhookEndpoint[]> {
    // Fresh ones may be in use by a read that has begun.
    dropOlder(nowMs - 2 * freshMs);
    if (ids.length === 0) return [];
    const found = (await queues.readQueues(ids)).map(({ endpoint }) => endpoint);
    for (const endpoint of found) recent.set(endpoint.id, { endpoint, readMs: nowMs });
    return found;
  }

  return {
    readNow,
    async read(ids: readonly WebhookEndpointId[], nowMs: number) {
      dropOlder(nowMs - freshMs);
      await readNow(
        ids.filter((id) => !recent.has(id)),
        nowMs,
      );
      return new Map(
        ids.flatMap((id) => {
          const known = recent.get(id);
          return known ? [[id, known.endpoint] as const] : [];
        }),
      );
    },
    /** It was read with the position of its page, or its position advanced to it since. */
    moved(endpoint: WebhookEndpoint): void {
      const known = recent.get(endpoint.id);
      if (known?.endpoint.version === endpoint.version) known.endpoint = endpoint;
      else recent.delete(endpoint.id);
    },
    forget: (id: WebhookEndpointId): void => void recent.delete(id),
  };
}
