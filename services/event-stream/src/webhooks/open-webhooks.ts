import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import { randomBetween } from '@inventory/runtime/backoff';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { startScrapedReading } from '@inventory/runtime/scraped-reading';
import { createTextSealer } from '@inventory/runtime/text-sealer';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from '../config.ts';
import type { GatewayClient } from '../log/gateway-client.ts';
import type { ProjectLog } from '../log/project-log-store.ts';
import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import { createDeliveryStore, type DeliveryStore } from './delivery-store.ts';
import { createEndpointStore, type EndpointStore } from './endpoint-store.ts';
import { createProjectEventAccess, type ProjectEventAccess } from './event-access.ts';
import { createHostResolver } from './guarded-lookup.ts';
import type { ManageEndpointsDeps } from './manage-endpoints.ts';
import type { ServeEndpointDeps } from './serve-endpoint.ts';
import { openWebhookCollections } from './webhook-document.ts';
import { observeBacklog } from './webhook-metrics.ts';
import { createWebhookSender } from './webhook-sender.ts';

export interface WebhookStores {
  readonly log: ProjectLog;
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
}

/** Opens endpoints and deliveries, and starts what keeps them. */
export function openWebhookStores(
  context: ServiceContext<EventStreamConfig>,
  db: Db,
  log: ProjectLog,
): WebhookStores {
  const { config, logger } = context;
  const collections = openWebhookCollections(db);
  const sealer = createTextSealer(config.webhooks.secretKeys);
  const endpoints = createEndpointStore(collections.endpoints, sealer, logger);
  const stores = {
    log,
    endpoints,
    deliveries: createDeliveryStore(collections.deliveries, logger),
  };
  startUpkeep(context, stores);
  return stores;
}

/** What the turns of endpoints of every pace use. */
export type Serving = Omit<ServeEndpointDeps, 'requests' | 'extraRequests' | 'onDue'>;

/** What the turns of endpoints use; the stop lets requests in flight end, for a time. */
export function openServing(
  context: ServiceContext<EventStreamConfig>,
  stores: WebhookStores,
  eventAccess: ProjectEventAccess,
): Serving {
  const { clock, config, lifetime, logger } = context;
  const { allowPrivate, timeoutMs, retries, health, limits, drainMs } = config.webhooks;
  const sender = createWebhookSender({ allowPrivate, resolve: createHostResolver(), timeoutMs });
  lifetime.defer('webhook connections', () => sender.close());
  const attempts: AttemptDeps = { sender, clock, retries, random: randomShare };
  const aborting = new AbortController();
  lifetime.signal.addEventListener('abort', () => {
    setTimeout(() => aborting.abort(), drainMs).unref();
  });
  return {
    ...{ ...stores, eventAccess, clock, logger, health, limits, stopping: lifetime.signal },
    attempt: (endpoint, delivery) => attemptDelivery(attempts, endpoint, delivery, aborting.signal),
    running: new Map(),
  };
}

/** What changes endpoints, for the gateway's routes. */
export function openManaging(
  { clock, config, identifiers }: ServiceContext<EventStreamConfig>,
  stores: WebhookStores,
  { running }: Pick<ServeEndpointDeps, 'running'>,
  wakeEndpoints: () => void,
): ManageEndpointsDeps {
  const { allowPrivate, limits } = config.webhooks;
  async function wake(endpointId: WebhookEndpointId): Promise<void> {
    const turn = running.get(endpointId);
    // On this replica its present turn reads the change before the next request.
    if (turn) turn.readMs = Number.NEGATIVE_INFINITY;
    await stores.endpoints.makeDue({ endpointId }, clock.now());
    wakeEndpoints();
  }
  return { ...stores, clock, identifiers, wake, allowPrivate, claimMs: limits.claimMs };
}

/** Whether Projects may receive their events, invalidated by the changes that the gateway publishes. */
export async function openEventAccess(
  { lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  bus: Pick<MessageBus, 'broadcast'>,
  {
    gateway,
    endpoints,
    wake,
  }: {
    readonly gateway: Pick<GatewayClient, 'mayHaveEvents'>;
    readonly endpoints: Pick<EndpointStore, 'makeDue'>;
    /** Endpoints were made due. */
    readonly wake: () => void;
  },
): Promise<ProjectEventAccess> {
  const findEventAccess = gateway.mayHaveEvents;
  const eventAccess = createProjectEventAccess({ findEventAccess, clock, logger });
  const subscription = await bus.broadcast({
    name: 'event-stream-authority',
    topics: ['authority.changes.v1'],
    onMessage({ type, body }) {
      if (type !== 'authority.changed.v1') return;
      const { account_id: accountId, project_id: projectId } = body;
      // A change of an account does not list its Projects.
      eventAccess.invalidate(projectId);
      // Whether an endpoint may be sent to depends on no Credential.
      if (body.credential_id !== null) return;
      const made = endpoints.makeDue({ waitingOf: { accountId, projectId } }, clock.now());
      made.then(wake, (error: unknown) => {
        // They have a turn after their pause.
        logger.warn({ err: error, account_id: accountId }, 'endpoints of a change not made due');
      });
    },
  });
  lifetime.defer('authority changes', () => subscription.stop());
  return eventAccess;
}

const randomSteps = 1_000_000;
const randomShare = () => randomBetween(0, randomSteps - 1) / randomSteps;

/** Deletes old deliveries, keeps secrets encrypted with the first key, counts what is pending. */
function startUpkeep(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  { endpoints, deliveries }: WebhookStores,
): void {
  const common = { lifetime, logger, intervalMs: config.log.pruneEveryMs };
  startPeriodicJob({
    ...{ ...common, name: 'webhook delivery pruning' },
    runOnce: async () =>
      void (await deliveries.removeCreatedBefore(clock.now() - config.webhooks.keepMs)),
  });
  startPeriodicJob({
    ...{ ...common, name: 'webhook secrets' },
    async runOnce(stopping) {
      const done = await endpoints.reencryptSecrets(clock.now(), stopping);
      if (done.endpoints > 0) logger.info(done, 'webhook secrets re-encrypted with the first key');
      if (done.unreadable > 0) logger.error(done, 'webhook secrets cannot be decrypted');
    },
  });
  const read = () => deliveries.countBacklog(clock.now());
  const backlog = startScrapedReading({ name: 'webhook backlog', read, lifetime, logger });
  observeBacklog(backlog, clock.now);
}
