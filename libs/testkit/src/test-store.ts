import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { type CollectionIndexes, ensureIndexes } from '@inventory/mongo/indexes';
import { openNamespace, testLogger } from './namespace.ts';

/** A connection to a database that no other test file uses; closing it drops the database. */
export async function openTestStore(
  name: string,
  indexes: readonly CollectionIndexes[] = [],
): Promise<MongoConnection> {
  const { mongodbUri: uri, database } = await openNamespace({ topics: false });
  const names = { database: database(name), service: 'test' };
  const mongo = await connectMongo({ uri, ...names, logger: testLogger });
  await ensureIndexes(mongo.db, indexes);
  return {
    ...mongo,
    async close() {
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}
