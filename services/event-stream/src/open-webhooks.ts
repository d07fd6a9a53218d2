import { webhookEndpointsMax } from '@inventory/contracts/http/webhooks';
import type { EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import { startLoop } from '@inventory/runtime/loop';
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
import { sealAnew } from './storage/endpoint-sealing.ts';
import { createEndpointStore, type EndpointStore } from './storage/endpoint-store.ts';
import type { ProjectLog } from './storage/project-log.ts';
import { createSecretSealer, type SecretSealer } from './storage/sealed-secret.ts';
import { openDeliveryCollection, openEndpointCollection } from './storage/webhook-collections.ts';

export interface WebhookParts {
  readonly db: Db;
  readonly log: ProjectLog;
  readonly standings: ProjectEventAccess;
}

interface NamedEndpoint {
  readonly projectId: ProjectId;
  readonly endpointId: WebhookEndpointId;
}

/** What others ask of the webhooks of Projects. */
export type Webhooks = ReturnType<typeof openWebhooks>;

/** Endpoints, and the loops that turn the log into deliveries, send them and forget old ones. */
export function openWebhooks(context: ServiceContext<EventStreamConfig>, parts: WebhookParts) {
  const { config, lifetime, clock, identifiers } = context;
  const { db, log } = parts;
  const { webhooks } = config;
  const sealer = createSecretSealer(webhooks.secretKeys);
  const endpoints = createEndpointStore(openEndpointCollection(db), sealer);
  const deliveries = createDeliveryStore(openDeliveryCollection(db));
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
  startSealingAnew(context, db, sealer);
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
  { endpoints, deliveries, standings, sender }: Stores & { readonly sender: WebhookSender },
) {
  const { retries, health, limits, sweepEveryMs, drainMs } = config.webhooks;
  const attempts = {
    ...{ sender, deliveries, endpoints, clock, logger, retries, health },
    random: () => randomBetween(0, randomSteps - 1) / randomSteps,
    onAttempt: countAttempt,
    onDisabled: countDisabled,
  };
  const deliverer = createDeliverer({
    ...{ deliveries, endpoints, standings, clock, logger, limits, health },
    attempt: (endpoint, claimed, signal) => attemptDelivery(attempts, endpoint, claimed, signal),
    onRoom: () => loop.wake(),
  });
  const loop = startLoop({
    name: 'webhook deliveries',
    idleMs: Math.min(sweepEveryMs, 1_000),
    logger,
    round: () => deliverer.round(),
  });
  lifetime.defer('webhook deliveries', async () => {
    await loop.stop();
    await deliverer.stop(drainMs);
  });
  return {
    wake: loop.wake,
    look(endpointId: WebhookEndpointId) {
      deliverer.look(endpointId);
      loop.wake();
    },
  };
}

function startReading(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  parts: Stores & { readonly wake: () => void },
) {
  const { sweepEveryMs } = config.webhooks;
  const reading = createLogReading({ ...parts, clock, readEveryMs: sweepEveryMs });
  const loop = startLoop({
    name: 'webhook log reading',
    idleMs: Math.min(sweepEveryMs, 1_000),
    logger,
    round: (stopping) => reading.round(stopping),
  });
  lifetime.defer('webhook log reading', () => loop.stop());
  return {
    wake(projectId: ProjectId) {
      reading.note(projectId);
      loop.wake();
    },
  };
}

function startForgetting(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  deliveries: Stores['deliveries'],
): void {
  const { keepMs } = config.webhooks;
  const loop = startLoop({
    name: 'webhook delivery pruning',
    idleMs: config.log.pruneEveryMs,
    logger,
    async round() {
      await deliveries.removeBefore(clock.now() - keepMs);
      return false;
    },
  });
  lifetime.defer('webhook delivery pruning', () => loop.stop());
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
  const loop = startLoop({
    name: 'webhook backlog',
    idleMs: countEveryMs,
    logger,
    async round() {
      backlog = await countBacklog(deliveries, clock.now());
      return false;
    },
  });
  lifetime.defer('webhook backlog', () => loop.stop());
}

/** Soon after a start with a new first key nothing needs the older ones any more. */
function startSealingAnew(
  { config, lifetime, logger }: ServiceContext<EventStreamConfig>,
  db: Db,
  sealer: SecretSealer,
): void {
  const collection = openEndpointCollection(db);
  const loop = startLoop({
    name: 'webhook secrets',
    idleMs: config.log.pruneEveryMs,
    logger,
    async round(stopping) {
      const done = await sealAnew(collection, sealer, stopping);
      if (done.endpoints > 0) logger.info(done, 'webhook secrets were sealed with the first key');
      if (done.unreadable > 0) logger.error(done, 'webhook secrets that no key opens');
      return false;
    },
  });
  lifetime.defer('webhook secrets', () => loop.stop());
}
