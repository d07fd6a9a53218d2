import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import {
  openReplicaSet,
  type TestReplicaSet,
  type Treatment,
  untilHearing,
} from '@inventory/testkit/replica-set';
import type { Document } from 'mongodb';
import { connectMongo, type MongoConnection, type MongoOptions } from '../src/connect.ts';
import { type CollectionIndexes, ensureIndexes, whereExists } from '../src/indexes.ts';

let set: TestReplicaSet;
let mongo: MongoConnection;
let options: Omit<MongoOptions, 'uri'>;
let treat: (command: Document) => Treatment | undefined;
let collections = 0;

beforeAll(async () => {
  const { mongodbUri, database } = await openNamespace({ topics: false });
  set = await openReplicaSet({ target: mongodbUri, treat: (command) => treat(command) });
  options = { database: database('indexes'), service: 'test', logger: testLogger };
  mongo = await connectMongo({ ...options, uri: set.uri });
  await untilHearing(mongo.db.client);
});
beforeEach(() => {
  treat = () => undefined;
  collections += 1;
});
afterAll(async () => {
  treat = () => undefined;
  await mongo.db.dropDatabase();
  await mongo.close();
  await set.close();
});

const things = () => mongo.db.collection(`things-${collections}`);
const wanted = (indexes: CollectionIndexes['indexes']): CollectionIndexes[] => [
  { collection: things().collectionName, indexes },
];
const byKind = { name: 'kind', keys: { kind: 1 }, options: whereExists('kind') } as const;
const namesOf = async () => (await things().indexes()).map(({ name }) => name);

test('missing indexes are created, existing ones are not changed', async () => {
  expect(await ensureIndexes(mongo.db, wanted([byKind]))).toEqual([]);
  expect(await ensureIndexes(mongo.db, wanted([byKind]))).toEqual([]);

  expect(await namesOf()).toEqual(['_id_', 'kind']);
});

test('a collection without indexes is created', async () => {
  await ensureIndexes(mongo.db, wanted([]));
  await ensureIndexes(mongo.db, wanted([]));

  const found = await mongo.db.listCollections({ name: things().collectionName }).toArray();
  expect(found).toHaveLength(1);
});

test('a build takes as long as it takes: it has no timeout, as other commands have', async () => {
  const released = Promise.withResolvers<void>();
  treat = () => ({
    changed: async (response) => {
      await released.promise;
      return response;
    },
  });

  const uri = new URL(set.uri);
  uri.searchParams.set('socketTimeoutMS', '200');
  const hasty = await connectMongo({ ...options, uri: uri.href });
  const building = ensureIndexes(hasty.db, wanted([byKind]));
  const inserting = hasty.db.collection(things().collectionName).insertOne({});
  await expect(inserting).rejects.toThrow('timed out');
  released.resolve();

  expect(await building).toEqual([]);
  await hasty.close();
});

function stepDown(): Treatment {
  set.beginElection();
  setImmediate(set.endElection);
  return { response: { ok: 0, code: 11_602, errmsg: 'operation was interrupted' } };
}

test.each<[string, (command: Document) => Treatment]>([
  [
    'that another process has begun',
    () => ({ response: { ok: 0, code: 285, errmsg: 'building' } }),
  ],
  ['of a primary that steps down', stepDown],
  ['whose connection ends', () => ({ isLost: true })],
])('a build %s is continued', async (_what, fail) => {
  let failures = 0;
  treat = (command) => {
    if (!('createIndexes' in command) || failures > 0) return undefined;
    failures += 1;
    return fail(command);
  };

  expect(await ensureIndexes(mongo.db, wanted([byKind]))).toEqual([]);

  expect(failures).toBe(1);
  expect(await namesOf()).toContain('kind');
});

test.each([
  ['other keys', { key: { other: 1 }, name: 'kind' }],
  ['other options', { key: { kind: 1 }, name: 'kind', sparse: true }],
])(
  'an index of the name with %s stays, and the command that removes it is known',
  async (_with, other) => {
    await mongo.db.command({ createIndexes: things().collectionName, indexes: [other] });

    const conflicts = await ensureIndexes(
      mongo.db,
      wanted([
        { name: 'kind', keys: { kind: 1 }, options: { unique: true } },
        { name: 'n', keys: { n: 1 } },
      ]),
    );

    const { dbName, collectionName: collection } = things();
    const command = `db.getSiblingDB('${dbName}').getCollection('${collection}').dropIndex('kind')`;
    expect(conflicts).toEqual([{ collection, name: 'kind', isUnique: true, command }]);
    expect(await namesOf()).toEqual(['_id_', 'kind', 'n']);
  },
);

/** As MongoDB refuses keys that have an index already; the stand-in for it creates a second one. */
const sameKeys = (command: Document): Treatment | undefined =>
  'createIndexes' in command
    ? { response: { ok: 0, code: 85, errmsg: 'Index already exists with a different name' } }
    : undefined;

test('the same index under another name is the same; one with other rules is not', async () => {
  await things().createIndex({ kind: 1 }, { ...whereExists('kind'), name: 'by_operator' });
  treat = sameKeys;

  expect(await ensureIndexes(mongo.db, wanted([byKind]))).toEqual([]);
  const unique = { ...byKind, options: { ...byKind.options, unique: true } };
  expect(await ensureIndexes(mongo.db, wanted([unique]))).toMatchObject([
    { name: 'kind', command: expect.stringContaining("dropIndex('by_operator')") },
  ]);
});

test('any other refusal is an error', async () => {
  treat = () => ({ response: { ok: 0, code: 13, errmsg: 'not authorized' } });

  await expect(ensureIndexes(mongo.db, wanted([byKind]))).rejects.toThrow('not authorized');
});
