import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';

const padding = 'x'.repeat(600);

/** Inserts one small document per call; does nothing where there is no MongoDB. */
export async function openDurableWrites(mongodbUri: string): Promise<() => Promise<void>> {
  if (mongodbUri === '') return () => Promise.resolve();
  const client = new MongoClient(mongodbUri);
  await client.connect();
  const records = client.db('bench').collection<{ _id: string; padding: string }>('hops');
  return async () => {
    await records.insertOne({ _id: randomUUID(), padding });
  };
}
