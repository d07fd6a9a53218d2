import { hostname } from 'node:os';
import type { ServiceName } from '@inventory/contracts/topics';
import type { HealthChecks } from '@inventory/http/health';
import type { MessageBus } from '@inventory/messaging/bus';
import { cataloguedBus } from '@inventory/messaging/catalogued-bus';
import { countBrokers } from '@inventory/messaging/kafka/count-brokers';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { type CollectionIndexes, ensureIndexes } from '@inventory/mongo/indexes';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import { pause } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import { openWhenReachable, ServerStarting } from './await-server.ts';
import type { ServiceContext } from './service-context.ts';

export interface Backends {
  readonly db: Db;
  readonly bus: MessageBus;
  readonly health: HealthChecks;
}

/** Ends a start that only creates the indexes. */
export class IndexesReady extends Error {
  override name = 'IndexesReady';
  /** False where an index conflicts with another one. */
  readonly areComplete: boolean;

  constructor(areComplete: boolean) {
    super();
    this.areComplete = areComplete;
  }
}

/** Connections of a replica to the primary; their sum is in docs/operators/mongodb.md. */
export const connectionsMax: Readonly<Record<ServiceName, number>> = {
  gateway: 20,
  'refresh-collector': 15,
  'billing-ledger': 10,
  'revision-store': 20,
  'event-stream': 10,
};

/** Within the startup probe, together with the wait for topics. */
const serversTimeoutMs = 60_000;
const conflictRetryMs = 500;

/**
 * Opens the service's own database and the message bus, which the lifetime closes. Every service
 * calls it before it opens other resources.
 */
export async function openBackends(
  context: ServiceContext,
  service: ServiceName,
  indexes: readonly CollectionIndexes[],
): Promise<Backends> {
  const { config, lifetime, logger, identifiers } = context;
  const waiting = { timeoutMs: serversTimeoutMs, logger, stopping: lifetime.signal };
  const mongo = await openWhenReachable(
    () =>
      connectMongo({
        ...config.mongodb,
        service,
        logger,
        connectionsMax: connectionsMax[service],
      }),
    { ...waiting, server: 'MongoDB' },
  );
  lifetime.defer('MongoDB', () => mongo.close());
  await createIndexes(mongo.db, indexes, context);
  const { bus: given } = context;
  if (!given) {
    await openWhenReachable(() => assertServing(config.kafka), { ...waiting, server: 'Kafka' });
  }
  const opened =
    given ??
    (await createKafkaBus({
      ...config.kafka,
      instance: instanceOf(config.http.port),
      service,
      logger,
      identifiers,
    }));
  lifetime.defer('message bus', () => opened.close());
  const bus = cataloguedBus(service, opened);
  return { db: mongo.db, bus, health: healthOf(mongo, bus, lifetime.signal) };
}

/**
 * Where another index conflicts with a unique one, on which rules of the service depend, it waits
 * and is not ready until its operator has removed the other one. Without an index that is not unique
 * it is slower.
 */
async function createIndexes(
  db: Db,
  indexes: readonly CollectionIndexes[],
  { indexesOnly, logger, lifetime }: ServiceContext,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const conflicts = await ensureIndexes(db, indexes);
    for (const conflict of tries === 1 ? conflicts : []) {
      logger.error(conflict, 'index not created: remove the conflicting one by this command');
    }
    if (indexesOnly) throw new IndexesReady(conflicts.length === 0);
    if (!conflicts.some(({ isUnique }) => isUnique)) return;
    await pause(conflictRetryMs, lifetime.signal);
    lifetime.signal.throwIfAborted();
  }
}

async function assertServing(kafka: KafkaAccess): Promise<void> {
  if ((await countBrokers(kafka)) === 0) throw new ServerStarting('Kafka lists no broker yet');
}

/** No other process of this host listens on the port; 0 is a port of no instance. */
function instanceOf(port: number): string | undefined {
  return port === 0 ? undefined : `${hostname()}:${port}`;
}

const unavailable = 'MongoDB is unavailable';
/** Every replica of every service meets an election: none is taken out of its Service for it. */
const degradedBy = {
  electing: 'MongoDB has no primary yet',
  no_majority: 'MongoDB has too few members with data: writes wait for a majority',
} as const;

function healthOf(mongo: MongoConnection, bus: MessageBus, stopping: AbortSignal): HealthChecks {
  let problem: Awaited<ReturnType<MongoConnection['problem']>> = null;
  return {
    async notReady() {
      problem = await mongo.problem();
      return [
        ...(stopping.aborted ? ['stopping'] : []),
        ...(problem === 'unavailable' ? [unavailable] : []),
        ...(bus.health().started ? [] : bus.health().problems),
      ];
    },
    // Reads and account work need no message: a service without Kafka serves them.
    degraded: () => [
      ...(problem === null || problem === 'unavailable' ? [] : [degradedBy[problem]]),
      ...(bus.health().started ? bus.health().problems : []),
    ],
    notAlive: () => (bus.health().alive ? [] : ['the message bus is dead']),
  };
}
