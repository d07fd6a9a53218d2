import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { type CollectionIndexes, ensureIndexes } from '@inventory/mongo/indexes';
import { openNamespace, testLogger, undisturbedUri } from './namespace.ts';
import { asAnotherServer, openReplicaSet, type ReplicaSetOptions } from './replica-set.ts';

/**
 * A connection to a database that no other test file uses; closing it drops the database. The server
 * differs from MongoDB where the product must not depend on it.
 */
export async function openTestStore(
  name: string,
  indexes: readonly CollectionIndexes[] = [],
  treat: ReplicaSetOptions['treat'] = asAnotherServer,
): Promise<MongoConnection> {
  const { mongodbUri: target, database } = await openNamespace({ topics: false });
  const set = await openReplicaSet({ target, treat, localTime: Number });
  const names = { database: database(name), service: 'test' };
  const uri = treat === asAnotherServer ? undisturbedUri(set.uri) : set.uri;
  const mongo = await connectMongo({ ...names, uri, logger: testLogger });
  await ensureIndexes(mongo.db, indexes);
  return {
    ...mongo,
    async close() {
      await mongo.db.dropDatabase();
      await mongo.close();
      await set.close();
    },
  };
}
