import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { planDeliveries } from '../domain/delivery-plan.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';
import { createEndpointTraffic, type EndpointTraffic } from './endpoint-traffic.ts';
import type { HeldAccounts } from './hold-accounts.ts';
import { createReadyQueues, type ReadyQueue, type ReadyQueues } from './ready-queues.ts';
import {
  createWebhookRequests,
  type SendClaimedDeps,
  type WebhookRequests,
} from './send-claimed.ts';
import { createPageServing, type PageSending, type PageServing } from './send-pages.ts';
import { readDuePings, type ServeQueueDeps, serveQueue } from './serve-queue.ts';
import { createUnstoredPages, type UnstoredPages } from './unstored-pages.ts';

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
  /** What was stored for the endpoint is sent: its log may have more. */
  readonly onDrained: (endpointId: WebhookEndpointId) => void;
}

/** Sends due deliveries: each endpoint has its own queue, accounts take turns. */
export interface Deliverer extends PageSending, Pick<PageServing, 'readEndpoints' | 'forget'> {
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
  const pages = createUnstoredPages(deps.logger);
  const requests = createWebhookRequests(deps, traffic, pages);
  const ready = createReadyQueues(deps.queues, limits.requestsPerEndpointMax);
  const sending = createPageServing({ ...deps, traffic, pages, requests, ready });
  const round = { ended: Promise.resolve() as Promise<unknown> };
  const reserved = new Map<WebhookEndpointId, number>();
  const serving = { ...deps, traffic, pages, requests, ready, sending, reserved, round };
  let nextPingsMs = Number.NEGATIVE_INFINITY;

  return {
    ...sending,
    async startDue() {
      const nowMs = clock.now();
      if (requests.isStopping) return false;
      const withPages = pages.accountIds();
      await accounts.maintain((id) => withPages.has(id) || traffic.runningOfAccount(id) > 0);
      sending.releaseSlow(nowMs);
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
      for (const { endpointId } of pages.values()) pages.release(endpointId);
      await round.ended;
      await requests.stop(graceMs);
      await pages.settled();
      await accounts.releaseAll().catch(() => {});
    },
  };
}

interface ServingDeps extends DelivererDeps {
  readonly traffic: EndpointTraffic;
  readonly pages: UnstoredPages;
  readonly requests: WebhookRequests;
  readonly ready: ReadyQueues;
  readonly sending: PageServing;
  /** Slots of queues that are being read; pages are sent meanwhile. */
  readonly reserved: Map<WebhookEndpointId, number>;
  readonly round: { ended: Promise<unknown> };
}

type Planned = ReadonlyMap<WebhookEndpointId, number>;

/** The endpoints with something to send: due queues and pages. */
function sendable({ ready, pages, limits }: ServingDeps): ReadyQueue[] {
  const queues = ready.values();
  const { requestsPerEndpointMax: requestsMax } = limits;
  const paged = pages.values().filter(({ endpointId }) => !ready.has(endpointId));
  return [...queues, ...paged.map((ids) => ({ ...ids, requestsMax, ahead: [] }))];
}

function plan(deps: ServingDeps, nowMs: number): Planned {
  const { traffic, limits, reserved } = deps;
  const loads = sendable(deps).map((queue) => ({
    ...queue,
    running: traffic.runningOf(queue.endpointId) + (reserved.get(queue.endpointId) ?? 0),
    latencyMs: traffic.latencyOf(queue.endpointId, nowMs),
  }));
  const others = traffic.others(new Set(loads.map(({ endpointId }) => endpointId)), nowMs);
  if (reserved.size === 0) return planDeliveries(loads, others, limits);
  // Queues are being read: until then only pages are sent.
  const isPage = ({ endpointId }: ReadyQueue) => !deps.ready.has(endpointId);
  const queued = loads.filter((load) => !isPage(load));
  return planDeliveries(loads.filter(isPage), [...others, ...queued], limits);
}

/** True when the next plan may start more: deliveries were sent, or queues turned out empty. */
async function serve(deps: ServingDeps, planned: Planned): Promise<boolean> {
  const { own, hasDropped } = await acquireQueues(deps, planned);
  const counts = own.map(({ endpointId }) => [endpointId, planned.get(endpointId) ?? 0] as const);
  const started = await deps.sending.serve(new Map(counts));
  const { reserved, round } = deps;
  if (reserved.size > 0) return started.size > 0 || hasDropped;
  for (const [id, count] of counts) {
    const left = count - (started.get(id) ?? 0);
    if (left > 0 && deps.ready.has(id)) reserved.set(id, left);
  }
  const serving = serveQueues(deps, own).finally(() => reserved.clear());
  round.ended = serving.catch(() => {});
  if (deps.pages.values().length === 0) return (await serving) || started.size > 0 || hasDropped;
  // No page waits for the store.
  serving.then(deps.onSlotReleased, (error: unknown) => {
    deps.logger.warn({ err: error }, 'webhook queues not read');
  });
  return started.size > 0 || hasDropped;
}

/** Claims and starts due deliveries of queues; true when any were found, or a queue is empty. */
async function serveQueues(deps: ServingDeps, own: readonly ReadyQueue[]): Promise<boolean> {
  const { ready, reserved, traffic } = deps;
  const wanted = own.filter(({ endpointId }) => reserved.has(endpointId));
  if (wanted.length === 0) return false;
  const found = await deps.queues.readQueues(wanted.map(({ endpointId }) => endpointId));
  const queues = new Map(found.map((queue) => [queue.endpoint.id, queue]));
  const served = await Promise.all(
    wanted.map(async (one) => {
      const { endpointId, ahead } = one;
      const [queue, running] = [queues.get(endpointId), traffic.runningOf(endpointId)];
      const count = reserved.get(endpointId) ?? 0;
      const result = await serveQueue(deps, { endpointId, queue, count, running, ahead });
      const { due, requestsMax, isDrained } = result;
      if (requestsMax === null) ready.drop(endpointId);
      else ready.served({ ...one, requestsMax, ahead: result.ahead });
      if (isDrained) deps.onDrained(endpointId);
      return { due, isChanged: requestsMax !== one.requestsMax };
    }),
  );
  const due = served.flatMap((one) => one.due);
  await deps.requests.start(due);
  return due.length > 0 || served.some(({ isChanged }) => isChanged);
}

/** The planned endpoints of accounts that this replica may send to. */
async function acquireQueues(
  deps: ServingDeps,
  planned: Planned,
): Promise<{ own: ReadyQueue[]; hasDropped: boolean }> {
  const { ready, pages, accounts } = deps;
  const chosen = sendable(deps).filter(({ endpointId }) => planned.has(endpointId));
  const held = await accounts.acquire(chosen.map(({ accountId }) => accountId));
  const own = chosen.filter(({ accountId }) => held.has(accountId));
  for (const { endpointId, accountId } of chosen) {
    if (held.has(accountId)) continue;
    // Another replica sends to the account.
    ready.drop(endpointId);
    pages.release(endpointId);
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
