import { type Document, MongoClient } from 'mongodb';

export async function insertDocument(uri: string, document: Document): Promise<void> {
  await withCollection(uri, async (collection) => {
    await collection.insertOne(document, { writeConcern: { w: 'majority', journal: true } });
  });
}

export async function allDocuments(uri: string): Promise<Document[]> {
  let documents: Document[] = [];
  await withCollection(uri, async (collection) => {
    documents = await collection.find({}).toArray();
  });
  return documents;
}

async function withCollection(
  uri: string,
  use: (collection: ReturnType<ReturnType<MongoClient['db']>['collection']>) => Promise<void>,
): Promise<void> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 });
  try {
    await use(client.db('provisioning').collection('things'));
  } finally {
    await client.close();
  }
}
