import type { MongoConnection } from '@inventory/mongo/connect';

type Records = MongoConnection['db'];

/** Every document of a database at one moment, each value in the type it is stored in. */
export type DatabaseCopy = ReadonlyMap<string, readonly Document[]>;

type Document = Readonly<Record<string, unknown>>;

/** Numbers keep their stored form: a document's hash is over its bytes. */
const asStored = { promoteValues: false, promoteLongs: false, promoteBuffers: false } as const;

export async function copyDatabase(records: Records): Promise<DatabaseCopy> {
  const copy = new Map<string, readonly Document[]>();
  for (const { name } of await records.listCollections().toArray()) {
    copy.set(name, await records.collection(name).find({}, asStored).toArray());
  }
  return copy;
}

/** The database is as it was, and holds nothing that came later. */
export async function restoreDatabase(records: Records, copy: DatabaseCopy): Promise<void> {
  for (const { name } of await records.listCollections().toArray()) {
    await records.collection(name).deleteMany({});
  }
  for (const [name, documents] of copy) {
    if (documents.length === 0) continue;
    await records.collection(name).insertMany(documents.map((one) => ({ ...one })));
  }
}
