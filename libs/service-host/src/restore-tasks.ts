import type { ServiceName } from '@inventory/contracts/topics';
import { connectMongo } from '@inventory/mongo/connect';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { Task } from './jobs.ts';

/** Steps of a restore that each service has; docs/operators/backup-and-restore.md has their order. */
export function restoreTasks(service: ServiceName): readonly Task<ServiceConfig>[] {
  return [dropTask(service), awaitTask(service)];
}

/**
 * Drops every collection of the service's database: a document that was written after the backup must not
 * remain. The name is repeated, so that no other database is dropped by mistake.
 */
function dropTask(service: ServiceName): Task<ServiceConfig> {
  const flag = '--drop-database';
  return {
    flag,
    async run({ config, lifetime, logger }, argv) {
      const { database } = config.mongodb;
      if (argv[argv.indexOf(flag) + 1] !== database) {
        logger.error({ database }, 'nothing is dropped: the name of the database has to follow');
        return false;
      }
      const mongo = await connectMongo({ ...config.mongodb, service, logger });
      lifetime.defer('MongoDB', () => mongo.close());
      const collections = await mongo.db.listCollections({}, { nameOnly: true }).toArray();
      const own = collections.map(({ name }) => name).filter((name) => !/^system\./.test(name));
      for (const name of own) await mongo.db.dropCollection(name);
      logger.info({ database, collections: own.length }, 'database dropped');
      return true;
    },
  };
}

/** Waits until the running replicas have handled what their topics have now. */
function awaitTask(service: ServiceName): Task<ServiceConfig> {
  return {
    flag: '--await-consumers',
    async run({ config: { kafka, environment }, lifetime, logger }) {
      const { awaitConsumed } = await import('@inventory/messaging/kafka/await-consumed');
      await awaitConsumed({ ...kafka, service, environment, logger, signal: lifetime.signal });
      logger.info('consumers have handled everything');
      return true;
    },
  };
}
