import { openTestStore } from '@inventory/testkit/test-store';
import type { Collection } from 'mongodb';
import type { MongoConnection } from '../src/connect.ts';
import { deleteInBatches, readInPages } from '../src/many-documents.ts';

interface Thing {
  readonly _id: string;
  readonly kind: string;
}

let mongo: MongoConnection;
let things: Collection<Thing>;
const ids = Array.from({ length: 25 }, (_, at) => String(at).padStart(2, '0'));

beforeAll(async () => {
  mongo = await openTestStore('many_documents');
  things = mongo.db.collection('things');
});
beforeEach(async () => {
  await things.deleteMany({});
  await things.insertMany(ids.map((_id, at) => ({ _id, kind: at % 5 === 0 ? 'rare' : 'usual' })));
});
afterAll(() => mongo.close());

test.each([1, 7, 19, 20, 21, 1_000])(
  'what a filter matches is deleted in commands of at most %i documents, and nothing else',
  async (batchMax) => {
    const commands: number[] = [];
    const counted: Collection<Thing> = Object.create(things, {
      deleteMany: {
        async value(filter: object) {
          const result = await things.deleteMany(filter);
          commands.push(result.deletedCount);
          return result;
        },
      },
    });

    expect(await deleteInBatches(counted, { kind: 'usual' }, { batchMax })).toBe(20);

    expect(Math.max(...commands)).toBeLessThanOrEqual(batchMax);
    expect(commands).toHaveLength(Math.ceil(20 / batchMax));
    expect((await things.distinct('kind')).toSorted()).toEqual(['rare']);
  },
);

test('a deletion that is bounded leaves the rest', async () => {
  const some = { batchMax: 4, deletedMax: 8 };
  expect(await deleteInBatches(things, { kind: 'usual' }, some)).toBe(8);
  expect(await things.countDocuments()).toBe(17);
});

test('one that changes between the read and the deletion stays', async () => {
  const changing: Collection<Thing> = Object.create(things, {
    deleteMany: {
      async value(filter: object) {
        await things.updateOne({ _id: '01' }, { $set: { kind: 'kept' } });
        return things.deleteMany(filter);
      },
    },
  });

  expect(await deleteInBatches(changing, { kind: 'usual' }, { batchMax: 4 })).toBe(19);
  expect(await things.countDocuments({ kind: 'kept' })).toBe(1);
});

test.each([1, 6, 25, 1_000])(
  'all are read by id, %i at a time, without an open cursor',
  async (pageMax) => {
    const read: string[] = [];
    for await (const { _id } of readInPages(things, {}, { pageMax })) read.push(_id);
    expect(read).toEqual(ids);
  },
);

test.each([
  [{ $gt: '03', $lt: '20' }, ids.slice(4, 20)],
  [{ $gte: '03' }, ids.slice(3)],
  [{ $lt: '00' }, []],
])('and so is a range of ids: %j', async (_id, expected) => {
  const read: string[] = [];
  for await (const thing of readInPages(things, _id, { pageMax: 3 })) read.push(thing._id);
  expect(read).toEqual(expected);
});

test('a projection holds for each page', async () => {
  const options = { pageMax: 2, projection: { _id: 1 } };
  for await (const thing of readInPages(things, {}, options)) {
    expect(Object.keys(thing)).toEqual(['_id']);
  }
});
