import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { BoundInternalRoute } from '@inventory/http/internal-route';
import type { MessageBus } from '@inventory/messaging/bus';
import { randomBetween } from '@inventory/runtime/backoff';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { startScrapedReading } from '@inventory/runtime/scraped-reading';
import { createKeyedSemaphore, createSemaphore } from '@inventory/runtime/semaphore';
import { createTextSealer } from '@inventory/runtime/text-sealer';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { type StartedWorker, startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from '../config.ts';
import type { GatewayClient } from '../log/gateway-client.ts';
import type { ProjectLog } from '../log/project-log-store.ts';
import { work } from '../work.ts';
import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { createEndpointStore, type EndpointStore, type OfEndpoints } from './endpoint-store.ts';
import { createProjectEventAccess, type ProjectEventAccess } from './event-access.ts';
import { createHostResolver } from './guarded-lookup.ts';
import type { EndpointTurn } from './send-due.ts';
import { type ServeEndpointDeps, serveEndpoint } from './serve-endpoint.ts';
import {
  type DueEndpoint,
  type EndpointPace,
  endpointPaces,
  openWebhookCollections,
} from './webhook-document.ts';
import { observeBacklog } from './webhook-metrics.ts';
import { webhookApiRoutes } from './webhook-routes.ts';
import { createWebhookSender } from './webhook-sender.ts';

type Context = ServiceContext<EventStreamConfig>;

export interface WebhooksParts {
  readonly db: Db;
  readonly bus: MessageBus;
  readonly log: ProjectLog;
  readonly gateway: GatewayClient;
}

export interface OpenedWebhooks {
  /** Gives endpoints a turn, on this replica at once. */
  readonly makeDue: (of: OfEndpoints) => Promise<void>;
  /** For the gateway. */
  readonly routes: readonly BoundInternalRoute[];
}

/** Opens webhooks: their stores, the turns of endpoints and what makes them due. */
export async function openWebhooks(
  context: Context,
  { db, bus, log, gateway }: WebhooksParts,
): Promise<OpenedWebhooks> {
  const { clock, config, identifiers, lifetime, logger } = context;
  const { allowPrivate, health, limits } = config.webhooks;
  const stores = { log, ...openStores(context, db) };
  const workers: StartedWorker<DueEndpoint>[] = [];
  const onDue = () => {
    for (const { wake } of workers) wake();
  };
  async function makeDue(of: OfEndpoints): Promise<void> {
    if (await stores.endpoints.makeDue(of, clock.now())) onDue();
  }
  const eventAccess = await openEventAccess(context, bus, gateway, makeDue);
  const running = new Map<WebhookEndpointId, EndpointTurn>();
  const serving = {
    ...stores,
    eventAccess,
    running,
    onDue,
    clock,
    logger,
    health,
    limits,
    attempt: openAttempts(context),
    stopping: lifetime.signal,
  };
  for (const pace of endpointPaces) {
    workers.push(startTurns(context, pace, stores.endpoints, serving));
  }
  async function wake(endpointId: WebhookEndpointId): Promise<void> {
    const turn = running.get(endpointId);
    // On this replica its present turn reads the change before the next request.
    if (turn) turn.readMs = Number.NEGATIVE_INFINITY;
    await makeDue({ endpointId });
  }
  const { claimMs } = limits;
  const managing = { ...stores, clock, identifiers, wake, onDue, allowPrivate, claimMs };
  return { makeDue, routes: webhookApiRoutes.map((route) => route.bind(managing)) };
}

/**
 * Deletes old deliveries, keeps secrets encrypted with the first key and turns within their time, counts
 * what is pending.
 */
function openStores({ config, lifetime, clock, logger }: Context, db: Db) {
  const { secretKeys, keepMs, limits } = config.webhooks;
  const collections = openWebhookCollections(db);
  const deliveries = createDeliveryStore(collections.deliveries, logger);
  const sealer = createTextSealer(secretKeys);
  const endpoints = createEndpointStore(collections.endpoints, sealer, logger);
  const common = { lifetime, logger, intervalMs: config.log.pruneEveryMs };
  startPeriodicJob({
    ...common,
    name: 'webhook delivery pruning',
    runOnce: async () => void (await deliveries.removeCreatedBefore(clock.now() - keepMs)),
  });
  startPeriodicJob({
    ...common,
    name: 'webhook turns',
    runOnce: () => endpoints.makeDueIfAfter(clock.now() + limits.waitMaxMs, clock.now()),
  });
  startPeriodicJob({
    ...common,
    name: 'webhook secrets',
    async runOnce(stopping) {
      const done = await endpoints.reencryptSecrets(clock.now(), stopping);
      if (done.endpoints > 0) logger.info(done, 'webhook secrets re-encrypted with the first key');
      if (done.unreadable > 0) logger.error(done, 'webhook secrets cannot be decrypted');
    },
  });
  const read = async () => {
    const [backlog, lateSinceMs] = await Promise.all([
      deliveries.countBacklog(clock.now()),
      endpoints.findLateSince(),
    ]);
    return { ...backlog, lateSinceMs };
  };
  observeBacklog(
    startScrapedReading({ name: 'webhook backlog', read, lifetime, logger }),
    clock.now,
  );
  return { endpoints, deliveries };
}

const randomSteps = 1_000_000;
const randomShare = () => randomBetween(0, randomSteps - 1) / randomSteps;

/** The stop lets requests in flight end, for a time. */
function openAttempts({ clock, config, lifetime }: Context): ServeEndpointDeps['attempt'] {
  const { allowPrivate, timeoutMs, retries, drainMs } = config.webhooks;
  const sender = createWebhookSender(createHostResolver(), { allowPrivate }, timeoutMs);
  lifetime.defer('webhook connections', () => sender.close());
  const attempts: AttemptDeps = { sender, clock, retries, random: randomShare };
  const aborting = new AbortController();
  lifetime.signal.addEventListener('abort', () => {
    setTimeout(() => aborting.abort(), drainMs).unref();
  });
  return (endpoint, delivery) => attemptDelivery(attempts, endpoint, delivery, aborting.signal);
}

/** Whether Projects may receive their events, invalidated by the changes that the gateway publishes. */
async function openEventAccess(
  { lifetime, clock, logger }: Context,
  bus: MessageBus,
  gateway: GatewayClient,
  makeDue: OpenedWebhooks['makeDue'],
): Promise<ProjectEventAccess> {
  const findEventAccess = gateway.mayHaveEvents;
  const eventAccess = createProjectEventAccess({ findEventAccess, clock, logger });
  const subscription = await bus.broadcast({
    name: 'event-stream-authority',
    topics: ['authority.changes.v1'],
    onMessage({ type, body }) {
      if (type !== 'authority.changed.v1') return;
      const { accountId, projectId } = body;
      // A change of an account does not list its Projects.
      eventAccess.invalidate(projectId);
      // Whether an endpoint may be sent to depends on no Credential.
      if (body.credentialId !== null) return;
      makeDue({ waitingOf: { accountId, projectId } }).catch((error: unknown) => {
        // They have a turn after their pause.
        logger.warn({ err: error, accountId }, 'endpoints of a change not made due');
      });
    },
  });
  lifetime.defer('authority changes', () => subscription.stop());
  return eventAccess;
}

/** Starts the turns of the endpoints of one pace. */
function startTurns(
  context: Context,
  pace: EndpointPace,
  endpoints: EndpointStore,
  serving: Omit<ServeEndpointDeps, 'requests' | 'extraRequests'>,
): StartedWorker<DueEndpoint> {
  const { limits, sweepEveryMs } = context.config.webhooks;
  const queue = endpoints.turnsOf(pace);
  const quarter = quarterOf(limits.requestsMax);
  const isFast = pace === 'fast';
  // Most of a turn of a fast endpoint is reading and storing.
  const places = isFast ? 4 * quarter : quarter;
  const requests = createSemaphore(isFast ? 2 * quarter : quarter);
  const extraRequests = createKeyedSemaphore<string>({
    totalMax: quarter,
    perKeyMax: quarterOf(quarter),
  });
  return startWorker(
    {
      name: work[pace].name,
      queue,
      places,
      lookEveryMs: sweepEveryMs,
      perKey: { places: quarterOf(places), keyOf: ({ accountId }) => accountId },
      // A turn ends before: its requests begin and end within the claim.
      again: { firstMs: limits.claimMs, maxMs: limits.claimMs },
      work: (turn) => serveEndpoint({ ...serving, requests, extraRequests }, queue, turn),
    },
    context,
  );
}

const quarterOf = (count: number) => Math.max(1, Math.floor(count / 4));
