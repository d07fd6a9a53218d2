import { openTestStore } from '@inventory/testkit/test-store';
import type { Collection } from 'mongodb';
import type { MongoConnection } from '../src/connect.ts';
import { duplicateKeyOf } from '../src/duplicate-key.ts';
import { ensureIndexes } from '../src/indexes.ts';

let mongo: MongoConnection;
let things: Collection<Record<string, unknown> & { _id: string }>;

beforeAll(async () => {
  mongo = await openTestStore('duplicates');
  things = mongo.db.collection('things');
  await ensureIndexes(mongo.db, [
    {
      collection: 'things',
      indexes: [
        {
          name: 'project_key',
          keys: { project: 1, key: 1 },
          options: { unique: true, sparse: true },
        },
        { name: 'command_ids', keys: { 'entries.id': 1 }, options: { unique: true, sparse: true } },
        {
          name: 'running_scope',
          keys: { scope: 1 },
          options: { unique: true, partialFilterExpression: { running: true } },
        },
      ],
    },
  ]);
  await things.insertMany([
    { _id: 'first', project: 'p', key: 'k', entries: [{ id: 'a' }, { id: 'b' }] },
    {
      _id: 'second',
      project: 'p',
      key: 'other',
      scope: 's',
      running: true,
      entries: [{ id: 'c' }],
    },
  ]);
});
afterAll(() => mongo.close());

/** The index that a failing write violated. */
async function ranInto(write: Promise<unknown>) {
  const error: unknown = await write.then(
    () => {
      throw new Error('the write succeeded');
    },
    (failure: unknown) => failure,
  );
  return duplicateKeyOf(error);
}

test('the id of a document', async () => {
  expect(await ranInto(things.insertOne({ _id: 'first' }))).toEqual(['_id']);
});

test('a unique index over several fields, by insert, update and upsert', async () => {
  const taken = { project: 'p', key: 'k' };

  expect(await ranInto(things.insertOne({ _id: 'new', ...taken }))).toEqual(['project', 'key']);
  expect(await ranInto(things.updateOne({ _id: 'second' }, { $set: taken }))).toEqual([
    'project',
    'key',
  ]);
  expect(
    await ranInto(things.findOneAndUpdate({ _id: 'second' }, { $set: taken }, { upsert: true })),
  ).toEqual(['project', 'key']);
});

test('a unique index over the elements of an array', async () => {
  const push = { $push: { entries: { id: 'b' } } };

  expect(await ranInto(things.updateOne({ _id: 'second' }, push as never))).toEqual(['entries.id']);
});

test('a unique index over some documents, and nothing for those outside it', async () => {
  const insert = (_id: string, running: boolean) =>
    things.insertOne({ _id, scope: 's', running, project: _id, key: _id, entries: [{ id: _id }] });

  expect(await ranInto(insert('third', true))).toEqual(['scope']);
  await insert('fourth', false);
  await insert('fifth', false);
});

test('one of several concurrent inserts of the same id wins, the others are duplicates', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => things.insertOne({ _id: 'race', index })),
  );

  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused).toHaveLength(19);
  for (const { reason } of refused) expect(duplicateKeyOf(reason)).toEqual(['_id']);
});

test('a bulk write reports a duplicate without its fields', async () => {
  const many = [{ _id: 'first' }, { _id: 'bulk' }];

  expect(await ranInto(things.insertMany(many, { ordered: false }))).toEqual([]);
  expect(await things.countDocuments({ _id: 'bulk' })).toBe(1);
});

test('any other error is no duplicate, whatever its text', async () => {
  const failing = things.updateOne({ _id: 'first' }, { $inc: { project: 1 } } as never);

  expect(await ranInto(failing)).toBeNull();
  expect(duplicateKeyOf(new Error('E11000 duplicate key error'))).toBeNull();
  expect(duplicateKeyOf(undefined)).toBeNull();
});

test('existing indexes are not changed', async () => {
  const wanted = [
    { collection: 'things', indexes: [{ name: 'scope_again', keys: { other: 1 } } as const] },
  ];

  await ensureIndexes(mongo.db, wanted);
  await ensureIndexes(mongo.db, wanted);

  const names = (await things.indexes()).map(({ name }) => name);
  expect(names.filter((name) => name === 'scope_again')).toHaveLength(1);
});
