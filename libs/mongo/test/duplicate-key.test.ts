import { openTestStore } from '@inventory/testkit/test-store';
import type { Collection } from 'mongodb';
import type { MongoConnection } from '../src/connect.ts';
import { insertOwn, isDuplicateKey, upsert } from '../src/duplicate-key.ts';
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

/** Whether a failing write is taken for one that a unique index refused. */
async function isRefused(write: Promise<unknown>): Promise<boolean> {
  return await write.then(() => {
    throw new Error('the write succeeded');
  }, isDuplicateKey);
}

const taken = { project: 'p', key: 'k' };
const newEntries = { $push: { entries: { id: 'b' } } } as never;

test.each<[string, () => Promise<unknown>]>([
  ['the id of a document', () => things.insertOne({ _id: 'first' })],
  ['several fields, by an insert', () => things.insertOne({ _id: 'new', ...taken })],
  ['them, by an update', () => things.updateOne({ _id: 'second' }, { $set: taken })],
  [
    'them, by an upsert',
    () => things.findOneAndUpdate({ _id: 'other' }, { $set: taken }, { upsert: true }),
  ],
  ['the elements of an array', () => things.updateOne({ _id: 'second' }, newEntries)],
  [
    'one of many writes',
    () => things.insertMany([{ _id: 'first' }, { _id: 'bulk' }], { ordered: false }),
  ],
])('a violated unique index is known, over %s', async (_over, write) => {
  expect(await isRefused(write())).toBe(true);
});

test('a unique index over some documents refuses nothing outside it', async () => {
  const insert = (_id: string, running: boolean) =>
    things.insertOne({ _id, scope: 's', running, project: _id, key: _id, entries: [{ id: _id }] });

  expect(await isRefused(insert('third', true))).toBe(true);
  await insert('fourth', false);
  await insert('fifth', false);
});

test('one of several concurrent inserts of the same id wins, the others are duplicates', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => things.insertOne({ _id: 'race', index })),
  );

  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused).toHaveLength(19);
  for (const { reason } of refused) expect(isDuplicateKey(reason)).toBe(true);
});

test('an insert that is there already is its own, and no other unique index is violated unseen', async () => {
  const own = { _id: 'own', project: 'own', key: 'own', entries: [{ id: 'own' }] };
  await insertOwn(things, own);
  await insertOwn(things, own);

  expect(await isRefused(insertOwn(things, { ...own, _id: 'another' }))).toBe(true);
  expect(await things.countDocuments({ project: 'own' })).toBe(1);
});

test('an upsert that conflicts with another of the same document updates it', async () => {
  let tries = 0;
  const write = async () => {
    tries += 1;
    if (tries === 1) await things.insertOne({ _id: 'first' });
    return await things.updateOne({ _id: 'first' }, { $set: { updated: true } });
  };

  expect(await upsert(write)).toMatchObject({ matchedCount: 1 });
  expect(tries).toBe(2);
});

test('any other error is no duplicate, whatever its text', async () => {
  const failing = things.updateOne({ _id: 'first' }, { $inc: { project: 1 } } as never);

  expect(await isRefused(failing)).toBe(false);
  expect(isDuplicateKey(new Error('E11000 duplicate key error'))).toBe(false);
  expect(isDuplicateKey(undefined)).toBe(false);
});
