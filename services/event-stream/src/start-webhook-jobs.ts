import type { ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { WebhookSender } from './clients/webhook-sender.ts';
import type { EventStreamConfig } from './config.ts';
import { countAttempt, countDisabled, observeBacklog } from './metrics.ts';
import { attemptDelivery } from './operations/attempt-delivery.ts';
import { createDeliverer } from './operations/deliver-due.ts';
import type { ProjectEventAccess } from './operations/project-event-access.ts';
import { createLogReading } from './operations/read-logs.ts';
import { countBacklog, type DeliveryBacklog } from './storage/delivery-backlog.ts';
import type { DeliveryStore } from './storage/delivery-store.ts';
import type { EndpointStore } from './storage/endpoint-store.ts';
import type { ProjectLog } from './storage/project-log.ts';
import { reencryptSecrets } from './storage/reencrypt-secrets.ts';
import type { SecretSealer } from './storage/sealed-secret.ts';
import { openDeliveryCollection, openEndpointCollection } from './storage/webhook-collections.ts';

interface Stores {
  readonly log: ProjectLog;
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  readonly eventAccess: ProjectEventAccess;
}

const randomSteps = 1_000_000;

/** Sends due deliveries. */
export function startSending(
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
    onSlotReleased: () => job.wake(),
  });
  lifetime.defer('webhook attempts', () => deliverer.stop(drainMs));
  const job = startPeriodicJob({
    name: 'webhook deliveries',
    intervalMs: Math.min(sweepEveryMs, 1_000),
    lifetime,
    logger,
    runOnce: () => deliverer.startDue(),
  });
  return {
    wake() {
      deliverer.notify();
      job.wake();
    },
    resume(endpointId: WebhookEndpointId) {
      deliverer.resume(endpointId);
      job.wake();
    },
  };
}

/** Inserts the deliveries of appended events. */
export function startReading(
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
    runOnce: (stopping) => reading.readDue(stopping),
  });
  return {
    wake(projectId: ProjectId) {
      reading.notify(projectId);
      job.wake();
    },
  };
}

/** Deletes old deliveries. */
export function startDeliveryPruning(
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
      await deliveries.removeCreatedBefore(clock.now() - keepMs);
    },
  });
}

const countEveryMs = 10_000;

/** Reports the number and age of pending deliveries. */
export function startBacklogCount(
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

/** Re-encrypts secrets with the first key, so that older keys can be removed. */
export function startReencryption(
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
