import { openTestStore } from '@inventory/testkit/test-store';
import type { Collection } from 'mongodb';
import type { MongoConnection } from '../src/connect.ts';
import { createSharedInserts, createSharedReads } from '../src/shared-commands.ts';

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
