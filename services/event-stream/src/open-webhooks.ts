import { webhookEndpointsMax } from '@inventory/contracts/http/webhooks';
import type { EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import { createHostResolver } from './clients/resolve-host.ts';
import { createWebhookSender, type WebhookSender } from './clients/webhook-sender.ts';
import { newWebhookSecret } from './clients/webhook-signature.ts';
import type { EventStreamConfig } from './config.ts';
import type { WebhookEndpoint } from './domain/webhook-endpoint.ts';
import { countAttempt, countDisabled, observeBacklog } from './metrics.ts';
import { attemptDelivery } from './operations/attempt-delivery.ts';
import { changeEndpoint, type EndpointChange, rotateSecret } from './operations/change-endpoint.ts';
import { createEndpoint, type WantedEndpoint } from './operations/create-endpoint.ts';
import { createDeliverer } from './operations/deliver-due.ts';
import { pingEndpoint } from './operations/ping-endpoint.ts';
import type { ProjectEventAccess } from './operations/project-event-access.ts';
import { createLogReading } from './operations/read-logs.ts';
import { redeliverEvent, redeliverRange } from './operations/redeliver.ts';
import { countBacklog, type DeliveryBacklog } from './storage/delivery-backlog.ts';
import { createDeliveryStore, type DeliveryPageQuery } from './storage/delivery-store.ts';
import { createEndpointStore, type EndpointStore } from './storage/endpoint-store.ts';
import type { ProjectLog } from './storage/project-log.ts';
import { reencryptSecrets } from './storage/reencrypt-secrets.ts';
import { createSecretSealer, type SecretSealer } from './storage/sealed-secret.ts';
import { openDeliveryCollection, openEndpointCollection } from './storage/webhook-collections.ts';

export interface WebhookParts {
  readonly db: Db;
  readonly log: ProjectLog;
  readonly eventAccess: ProjectEventAccess;
}

interface NamedEndpoint {
  readonly projectId: ProjectId;
  readonly endpointId: WebhookEndpointId;
}

/** What others ask of the webhooks of Projects. */
export type Webhooks = ReturnType<typeof openWebhooks>;

/** Endpoints, and the jobs that turn the log into deliveries, send them and forget old ones. */
export function openWebhooks(context: ServiceContext<EventStreamConfig>, parts: WebhookParts) {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { db, log } = parts;
  const { webhooks } = config;
  const sealer = createSecretSealer(webhooks.secretKeys);
  const endpoints = createEndpointStore(openEndpointCollection(db), sealer, logger);
  const deliveries = createDeliveryStore(openDeliveryCollection(db), logger);
  const rules = { allowPrivate: webhooks.allowPrivate };
  const sender = createWebhookSender({
    ...rules,
    resolve: createHostResolver(),
    timeoutMs: webhooks.timeoutMs,
  });
  lifetime.defer('webhook connections', () => sender.close());
  const sending = startSending(context, { ...parts, endpoints, deliveries, sender });
  const reading = startReading(context, { ...parts, endpoints, deliveries, wake: sending.wake });
  startForgetting(context, deliveries);
  startReencryption(context, db, sealer);
  startCounting(context, db);
  const making = {
    ...{ endpoints, log, clock, identifiers, rules, endpointsMax: webhookEndpointsMax },
    newSecret: newWebhookSecret,
  };
  const again = { log, deliveries, clock, identifiers, wake: sending.look };

  return {
    endpoints: endpoints as Pick<EndpointStore, 'projectsSubscribed'>,
    /** A Project's log has grown. */
    wake: reading.wake,
    create: (wanted: WantedEndpoint) => createEndpoint(making, wanted),
    find: endpoints.find,
    list: endpoints.list,
    change: (named: NamedEndpoint, change: EndpointChange) => changeEndpoint(making, named, change),
    rotate: (named: NamedEndpoint, overlapMs: number) => rotateSecret(making, named, overlapMs),
    async remove(projectId: ProjectId, endpointId: WebhookEndpointId): Promise<boolean> {
      const removed = await endpoints.remove(projectId, endpointId);
      // A crash before this leaves deliveries that are removed when they are due.
      if (removed) await deliveries.removeOf(endpointId);
      return removed;
    },
    ping: (endpoint: WebhookEndpoint) => pingEndpoint(again, endpoint),
    deliveries: (id: WebhookEndpointId, query: DeliveryPageQuery) => deliveries.page(id, query),
    redeliverEvent: (endpoint: WebhookEndpoint, eventId: EventId) =>
      redeliverEvent(again, endpoint, eventId),
    redeliverRange: (
      endpoint: WebhookEndpoint,
      { sinceMs, untilMs }: { sinceMs: number; untilMs: number | null },
    ) => redeliverRange(again, endpoint, { sinceMs, untilMs: untilMs ?? clock.now() }),
  };
}

interface Stores extends WebhookParts {
  readonly endpoints: EndpointStore;
  readonly deliveries: ReturnType<typeof createDeliveryStore>;
}

const randomSteps = 1_000_000;

function startSending(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  { endpoints, deliveries, eventAccess, sender }: Stores & { readonly sender: WebhookSender },
) {
  const { retries, health, limits, sweepEveryMs, drainMs } = config.webhooks;
  const attempts = {
    ...{ sender, deliveries, endpoints, clock, logger, retries, health },
    random: () => randomBetween(0, randomSteps - 1) / randomSteps,
    onAttempt: countAttempt,
    onDisabled: countDisabled,
  };
  const deliverer = createDeliverer({
    ...{ deliveries, endpoints, eventAccess, clock, logger, limits, health },
    attempt: (endpoint, claimed, signal) => attemptDelivery(attempts, endpoint, claimed, signal),
    onRoom: () => job.wake(),
  });
  lifetime.defer('webhook attempts', () => deliverer.stop(drainMs));
  const job = startPeriodicJob({
    name: 'webhook deliveries',
    intervalMs: Math.min(sweepEveryMs, 1_000),
    lifetime,
    logger,
    runOnce: () => deliverer.round(),
  });
  return {
    wake: job.wake,
    look(endpointId: WebhookEndpointId) {
      deliverer.look(endpointId);
      job.wake();
    },
  };
}

function startReading(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  parts: Stores & { readonly wake: () => void },
) {
  const { sweepEveryMs } = config.webhooks;
  const reading = createLogReading({ ...parts, clock, readEveryMs: sweepEveryMs });
  const job = startPeriodicJob({
    name: 'webhook log reading',
    intervalMs: Math.min(sweepEveryMs, 1_000),
    lifetime,
    logger,
    runOnce: (stopping) => reading.round(stopping),
  });
  return {
    wake(projectId: ProjectId) {
      reading.note(projectId);
      job.wake();
    },
  };
}

function startForgetting(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  deliveries: Stores['deliveries'],
): void {
  const { keepMs } = config.webhooks;
  startPeriodicJob({
    name: 'webhook delivery pruning',
    intervalMs: config.log.pruneEveryMs,
    lifetime,
    logger,
    runOnce: async () => {
      await deliveries.removeBefore(clock.now() - keepMs);
    },
  });
}

const countEveryMs = 10_000;

function startCounting(
  { lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  db: Db,
): void {
  const deliveries = openDeliveryCollection(db);
  let backlog: DeliveryBacklog | null = null;
  observeBacklog(
    () => backlog,
    () => clock.now(),
  );
  startPeriodicJob({
    name: 'webhook backlog',
    intervalMs: countEveryMs,
    lifetime,
    logger,
    runOnce: async () => {
      backlog = await countBacklog(deliveries, clock.now());
    },
  });
}

/** Soon after a start with a new first key no secret needs an older one. */
function startReencryption(
  { config, lifetime, logger }: ServiceContext<EventStreamConfig>,
  db: Db,
  sealer: SecretSealer,
): void {
  const collection = openEndpointCollection(db);
  startPeriodicJob({
    name: 'webhook secrets',
    intervalMs: config.log.pruneEveryMs,
    lifetime,
    logger,
    runOnce: async (stopping) => {
      const done = await reencryptSecrets(collection, sealer, stopping);
      if (done.endpoints > 0) logger.info(done, 'webhook secrets re-encrypted with the first key');
      if (done.unreadable > 0) logger.error(done, 'webhook secrets cannot be decrypted');
    },
  });
}
