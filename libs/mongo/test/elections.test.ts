import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import {
  openReplicaSet,
  type TestReplicaSet,
  type Treatment,
  untilHearing,
} from '@inventory/testkit/replica-set';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Collection, Document } from 'mongodb';
import { connectMongo, type MongoConnection, readStoreTime } from '../src/connect.ts';
import { isDuplicateKey, refusedWrites } from '../src/duplicate-key.ts';
import { isMongoUnavailable, passingCodes } from '../src/is-mongo-unavailable.ts';
import { retryOnce } from '../src/many-documents.ts';

interface Thing {
  readonly _id: string;
  readonly kind?: string;
  readonly n?: number;
}

let set: TestReplicaSet;
let mongo: MongoConnection;
let things: Collection<Thing>;
let treat: (command: Document) => Treatment | undefined = () => undefined;
let localTime: () => Date | number = () => new Date();

beforeAll(async () => {
  const { mongodbUri, database } = await openNamespace({ topics: false });
  set = await openReplicaSet({
    target: mongodbUri,
    treat: (command) => treat(command),
    localTime: () => localTime(),
  });
  const names = { database: database('elections'), service: 'test' };
  mongo = await connectMongo({ ...names, uri: set.uri, logger: testLogger });
  things = mongo.db.collection('things');
  await untilHearing(mongo.db.client);
});
beforeEach(async () => {
  treat = () => undefined;
  await things.deleteMany({});
  await things.insertMany([
    { _id: 'first', kind: 'a', n: 0 },
    { _id: 'second', kind: 'a', n: 0 },
  ]);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
  await set.close();
});

const nameOf = (command: Document) => Object.keys(command)[0];

/** No primary until the operations have been refused, and the driver knows it. */
async function duringElection<Results>(operations: () => Promise<Results>): Promise<Results> {
  set.beginElection();
  const running = operations();
  await waitFor('the driver has no primary', async () => (await mongo.problem()) === 'electing');
  set.endElection();
  return await running;
}

test('a read or write that meets an election waits for the next primary, and is executed once', async () => {
  await duringElection(() =>
    Promise.all([
      things.insertOne({ _id: 'third' }),
      things.updateOne({ _id: 'first' }, { $inc: { n: 1 } }),
      things.findOneAndUpdate({ _id: 'second' }, { $inc: { n: 1 } }),
      things.find({ kind: 'a' }).toArray(),
      things.countDocuments(),
    ]),
  );

  expect(await mongo.problem()).toBeNull();
  expect(await things.find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 'first', kind: 'a', n: 1 },
    { _id: 'second', kind: 'a', n: 1 },
    { _id: 'third' },
  ]);
});

test('so does a write of many documents that has no further effect when it is repeated, also where its answer was lost', async () => {
  const write = () => retryOnce(() => things.updateMany({ kind: 'a' }, { $set: { n: 7 } }));

  expect((await duringElection(write)).matchedCount).toBe(2);
  let lost = 0;
  treat = (command) => {
    if (nameOf(command) !== 'delete' || lost > 0) return undefined;
    lost += 1;
    return { isLost: true };
  };
  await retryOnce(() => things.deleteMany({ n: 7 }));

  expect(lost).toBe(1);
  expect(await things.countDocuments()).toBe(0);
});

test('a connection that ends under a write, whose answer is lost, does not write twice', async () => {
  let lost = 0;
  treat = (command) => {
    if (nameOf(command) !== 'update' || lost > 0) return undefined;
    lost += 1;
    return { isLost: true };
  };

  await things.updateOne({ _id: 'first' }, { $inc: { n: 1 } });

  expect(lost).toBe(1);
  expect(await things.findOne({ _id: 'first' })).toMatchObject({ n: 1 });
});

const operations: Readonly<Record<string, () => Promise<unknown>>> = {
  insertOne: () => things.insertOne({ _id: 'new' }),
  insertMany: () => things.insertMany([{ _id: 'new' }], { ordered: false }),
  updateOne: () => things.updateOne({ _id: 'first' }, { $set: { n: 1 } }),
  updateMany: () => things.updateMany({}, { $set: { n: 1 } }),
  replaceOne: () => things.replaceOne({ _id: 'first' }, { n: 1 }),
  deleteOne: () => things.deleteOne({ _id: 'first' }),
  deleteMany: () => things.deleteMany({}),
  bulkWrite: () =>
    things.bulkWrite([{ deleteOne: { filter: { _id: 'first' } } }], { ordered: false }),
  findOneAndUpdate: () => things.findOneAndUpdate({ _id: 'first' }, { $set: { n: 1 } }),
};
const readsOnly: typeof operations = {
  find: () => things.find().toArray(),
  countDocuments: () => things.countDocuments(),
  distinct: () => things.distinct('kind'),
  createIndex: () => things.createIndex({ n: 1 }),
};
const badValue = 2;
const refused = (code: number, errorLabels: readonly string[] = []) => ({
  response: { ok: 0, code, errmsg: 'refused', errorLabels },
});
const all = { ...operations, ...readsOnly };

test.each(Object.entries(all))(
  'what passes is an unavailable store, however the driver throws it: %s',
  async (_name, operation) => {
    treat = () => refused(passingCodes.TemporarilyUnavailable);
    await expect(operation().catch(isMongoUnavailable)).resolves.toBe(true);
    treat = () => refused(badValue, ['SystemOverloadedError']);
    await expect(operation().catch(isMongoUnavailable)).resolves.toBe(true);
    treat = () => refused(badValue);
    await expect(operation().catch(isMongoUnavailable)).resolves.toBe(false);
  },
);

test.each(Object.entries(operations))(
  'so is a write that its majority has not confirmed: %s',
  async (_name, operation) => {
    treat = () => ({
      changed: (response) => ({
        ...response,
        writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting' },
      }),
    });

    await expect(operation().catch(isMongoUnavailable)).resolves.toBe(true);
  },
);

test('a clock that a server tells as a number is read as well', async () => {
  localTime = () => 1_700_000_000_123;
  expect(await readStoreTime(mongo.db)).toBe(1_700_000_000_123);
  localTime = () => new Date(1_700_000_000_456);
  expect(await readStoreTime(mongo.db)).toBe(1_700_000_000_456);
});

test('a violated unique index is known without the names of its fields', async () => {
  treat = () => ({
    changed: ({ writeErrors, ...response }) => ({
      ...response,
      writeErrors: writeErrors?.map(({ index, code, errmsg }: Document) => ({
        index,
        code,
        errmsg,
      })),
    }),
  });
  const write = { insertOne: { document: { _id: 'first' } } };

  await expect(things.insertOne({ _id: 'first' }).catch(isDuplicateKey)).resolves.toBe(true);
  const bulk = things.bulkWrite([write, { insertOne: { document: { _id: 'new' } } }], {
    ordered: false,
  });
  expect(await refusedWrites(bulk)).toEqual(new Set([0]));
});
