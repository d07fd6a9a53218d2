import { openTestStore } from '@inventory/testkit/test-store';
import type { Collection } from 'mongodb';
import type { MongoConnection } from '../src/connect.ts';
import {
  createSharedInserts,
  createSharedReads,
  createSharedUpdates,
} from '../src/shared-commands.ts';

interface Thing {
  readonly _id: string;
  readonly size: number;
}

let mongo: MongoConnection;
let things: Collection<Thing>;
/** What reached the driver. */
const sent: string[] = [];

beforeAll(async () => {
  mongo = await openTestStore('shared');
  const stored = mongo.db.collection<Thing>('things');
  things = new Proxy(stored, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        sent.push(String(name));
        return member.apply(target, given);
      };
    },
  });
});
afterAll(() => mongo.close());

test('inserts that come together are one command, in which a refused document refuses no other', async () => {
  const inserts = createSharedInserts(things, 100);
  await inserts.add({ _id: 'b', size: 0 });

  const added = ['a', 'b', 'c', 'c'].map((_id, size) => inserts.add({ _id, size }));

  expect(await Promise.all(added)).toEqual([true, false, true, false]);
  expect(await things.find({}, { sort: { _id: 1 } }).toArray()).toEqual([
    { _id: 'a', size: 0 },
    { _id: 'b', size: 0 },
    { _id: 'c', size: 2 },
  ]);
  expect(sent).toEqual(['insertMany', 'insertMany', 'find']);
});

test('reads that come together are one command, and have their own answers', async () => {
  sent.length = 0;
  const reads = createSharedReads(things, 100, { projection: { size: 1 } });

  const read = ['c', 'missing', 'a', 'c'].map((id) => reads.add(id));

  expect((await Promise.all(read)).map((found) => found?.size)).toEqual([2, undefined, 0, 2]);
  expect(sent).toEqual(['find']);
});

describe('conditional updates', () => {
  /** Each document from the size that it is expected to have to the next one. */
  async function grow(...expected: readonly (readonly [string, number])[]) {
    sent.length = 0;
    const updates = createSharedUpdates<Thing>(things, 100);
    const added = expected.map(([_id, size]) =>
      updates.add({
        filter: { _id, size },
        update: { $set: { size: size + 1 } },
      }),
    );
    return await Promise.all(added);
  }
  const sizes = async () =>
    (await things.find({ _id: /^u/ }, { sort: { _id: 1 } }).toArray()).map(({ size }) => size);

  beforeEach(async () => {
    await things.deleteMany({ _id: /^u/ });
    await things.insertMany(['u1', 'u2', 'u3'].map((_id) => ({ _id, size: 1 })));
  });

  test('that come together are one command', async () => {
    expect(await grow(['u1', 1], ['u2', 1], ['u3', 1])).toEqual([true, true, true]);

    expect(sent).toEqual(['bulkWrite']);
    expect(await sizes()).toEqual([2, 2, 2]);
  });

  test('are distinguished where another writer was first, also to the same state', async () => {
    await grow(['u1', 1], ['u2', 1]);

    expect(await grow(['u1', 1], ['u2', 2], ['u3', 1], ['u4', 1])).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(await sizes()).toEqual([2, 3, 2]);
  });

  test('of one document under one condition succeed once', async () => {
    const [first, other, second] = await grow(['u1', 1], ['u2', 1], ['u1', 1]);

    expect([[first, second].toSorted(), other]).toEqual([[false, true], true]);
    expect(await sizes()).toEqual([2, 2, 1]);
  });

  test('that fail reject alone', async () => {
    const updates = createSharedUpdates<Thing>(things, 100);
    const update = { $set: { size: 2 } };
    const invalid = { ...update, $inc: { _id: 1 } } as never;

    const results = await Promise.allSettled([
      updates.add({ filter: { _id: 'u1' }, update }),
      updates.add({ filter: { _id: 'u2' }, update: invalid }),
      updates.add({ filter: { _id: 'u3' }, update }),
    ]);

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await sizes()).toEqual([2, 1, 2]);
  });
});
