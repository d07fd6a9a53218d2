import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { planDeliveries } from '../domain/delivery-plan.ts';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import { createEndpointTraffic, type EndpointTraffic } from './endpoint-traffic.ts';
import type { HeldAccounts } from './hold-accounts.ts';
import { createReadyQueues, type ReadyQueue, type ReadyQueues } from './ready-queues.ts';
import {
  createWebhookRequests,
  type SendClaimedDeps,
  type WebhookRequests,
} from './send-claimed.ts';
import { readDuePings, type ServeQueueDeps, serveQueue } from './serve-queue.ts';

export interface DelivererLimits {
  /** Concurrent requests: of this replica; of all replicas to one account, and to one endpoint. */
  readonly requestsMax: number;
  readonly requestsPerAccountMax: number;
  readonly requestsPerEndpointMax: number;
  /** Duration of its requests from which an endpoint is slow. */
  readonly slowFromMs: number;
  /** Age at which a claim expires. */
  readonly claimMs: number;
}

export interface DelivererDeps extends ServeQueueDeps, SendClaimedDeps {
  readonly deliveries: ServeQueueDeps['deliveries'] & SendClaimedDeps['deliveries'];
  readonly accounts: HeldAccounts;
  readonly limits: DelivererLimits;
}

/** Sends due deliveries: each endpoint has its own queue, accounts take turns. */
export interface Deliverer {
  /** Starts due deliveries; true when more may be due. */
  startDue(): Promise<boolean>;
  /** Deliveries of the endpoint were made due. */
  notify(endpoint: Pick<WebhookEndpoint, 'id' | 'accountId'>): void;
  /** Tests may be due. */
  notifyPing(): void;
  /** Waits for requests in flight, then releases those without a response. */
  stop(graceMs: number): Promise<void>;
}

const pingsEveryMs = 250;

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { accounts, clock, limits } = deps;
  const traffic = createEndpointTraffic();
  const requests = createWebhookRequests(deps, traffic);
  const ready = createReadyQueues(deps.queues, limits.requestsPerEndpointMax);
  const serving = { ...deps, traffic, requests, ready };
  let nextPingsMs = Number.NEGATIVE_INFINITY;

  return {
    async startDue() {
      const nowMs = clock.now();
      if (requests.isStopping) return false;
      await accounts.maintain((accountId) => traffic.runningOfAccount(accountId) > 0);
      if (traffic.total >= limits.requestsMax) return false;
      if (nowMs >= nextPingsMs) {
        nextPingsMs = nowMs + pingsEveryMs;
        await startPings(serving);
      }
      await ready.refresh(nowMs);
      const planned = plan(serving, nowMs);
      return planned.size > 0 && serve(serving, planned);
    },
    notify: ready.add,
    notifyPing() {
      nextPingsMs = Number.NEGATIVE_INFINITY;
    },
    async stop(graceMs) {
      await requests.stop(graceMs);
      await accounts.releaseAll().catch(() => {});
    },
  };
}

interface ServingDeps extends DelivererDeps {
  readonly traffic: EndpointTraffic;
  readonly requests: WebhookRequests;
  readonly ready: ReadyQueues;
}

type Planned = ReadonlyMap<WebhookEndpointId, number>;

function plan({ ready, traffic, limits }: ServingDeps, nowMs: number): Planned {
  const loads = ready.values().map((queue) => ({
    ...queue,
    running: traffic.runningOf(queue.endpointId),
    latencyMs: traffic.latencyOf(queue.endpointId, nowMs),
  }));
  const others = traffic.others(new Set(loads.map(({ endpointId }) => endpointId)), nowMs);
  return planDeliveries(loads, others, limits);
}

/** True when the next plan may start more: deliveries were sent, or queues turned out empty. */
async function serve(deps: ServingDeps, planned: Planned): Promise<boolean> {
  const { ready, traffic } = deps;
  const { own, hasDropped } = await acquireQueues(deps, planned);
  const found = await deps.queues.readQueues(own.map(({ endpointId }) => endpointId));
  const queues = new Map(found.map((queue) => [queue.endpoint.id, queue]));
  const served = await Promise.all(
    own.map(async (queue) => {
      const { endpointId } = queue;
      const running = traffic.runningOf(endpointId);
      const count = planned.get(endpointId) ?? 0;
      const wanted = { endpointId, queue: queues.get(endpointId), count, running };
      const { due, requestsMax } = await serveQueue(deps, wanted);
      if (requestsMax === null) ready.drop(endpointId);
      else ready.served({ ...queue, requestsMax });
      return { due, isChanged: requestsMax !== queue.requestsMax };
    }),
  );
  const due = served.flatMap((one) => one.due);
  await deps.requests.start(due);
  return due.length > 0 || hasDropped || served.some(({ isChanged }) => isChanged);
}

/** The planned queues of accounts that this replica may send to. */
async function acquireQueues(
  { ready, accounts }: Pick<ServingDeps, 'ready' | 'accounts'>,
  planned: Planned,
): Promise<{ own: ReadyQueue[]; hasDropped: boolean }> {
  const chosen = ready.values().filter(({ endpointId }) => planned.has(endpointId));
  const held = await accounts.acquire(chosen.map(({ accountId }) => accountId));
  const own = chosen.filter(({ accountId }) => held.has(accountId));
  for (const { endpointId, accountId } of chosen) {
    // Another replica sends to the account.
    if (!held.has(accountId)) ready.drop(endpointId);
  }
  return { own, hasDropped: own.length < chosen.length };
}

async function startPings(deps: ServingDeps): Promise<void> {
  const { accounts, traffic, requests, limits } = deps;
  const pings = await readDuePings(deps, limits.requestsMax - traffic.total);
  const held = await accounts.acquire(pings.map(({ endpoint }) => endpoint.accountId));
  for (const ping of pings) {
    const { accountId } = ping.endpoint;
    const isFree = traffic.runningOfAccount(accountId) < limits.requestsPerAccountMax;
    if (isFree && held.has(accountId)) await requests.start([ping]);
  }
}
