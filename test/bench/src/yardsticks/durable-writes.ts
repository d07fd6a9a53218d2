import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';

const padding = 'x'.repeat(600);

export interface DurableWrites {
  /** Inserts one small document; does nothing where no MongoDB is named. */
  write(): Promise<void>;
  close(): Promise<void>;
}

export async function openDurableWrites(mongodbUri: string): Promise<DurableWrites> {
  if (mongodbUri === '') return { write: async () => {}, close: async () => {} };
  const client = await MongoClient.connect(mongodbUri);
  const records = client.db('bench').collection<{ _id: string; padding: string }>('hops');
  return {
    async write() {
      await records.insertOne({ _id: randomUUID(), padding });
    },
    close: () => client.close(),
  };
}
