import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { TextSealer } from '@inventory/runtime/text-sealer';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from '../config.ts';
import { observeBacklog } from '../metrics.ts';
import { countBacklog, type DeliveryBacklog } from '../storage/delivery-backlog.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { reencryptSecrets } from './sealed-secrets-store.ts';
import { openDeliveryCollection, openEndpointCollection } from './webhook-document.ts';

export interface UpkeepDeps {
  readonly db: Db;
  readonly deliveries: DeliveryStore;
  readonly sealer: TextSealer;
}

/** Starts the jobs that neither insert nor send deliveries. */
export function startWebhookUpkeep(
  context: ServiceContext<EventStreamConfig>,
  { db, deliveries, sealer }: UpkeepDeps,
): void {
  startDeliveryPruning(context, deliveries);
  startReencryption(context, db, sealer);
  startBacklogCount(context, db);
}

/** Deletes old deliveries. */
function startDeliveryPruning(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  deliveries: DeliveryStore,
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
function startBacklogCount(
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
function startReencryption(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  db: Db,
  sealer: TextSealer,
): void {
  const collection = openEndpointCollection(db);
  startPeriodicJob({
    name: 'webhook secrets',
    intervalMs: config.log.pruneEveryMs,
    lifetime,
    logger,
    runOnce: async (stopping) => {
      const nowMs = clock.now();
      const done = await reencryptSecrets(collection, sealer, { nowMs, stopping });
      if (done.endpoints > 0) logger.info(done, 'webhook secrets re-encrypted with the first key');
      if (done.unreadable > 0) logger.error(done, 'webhook secrets cannot be decrypted');
    },
  });
}
