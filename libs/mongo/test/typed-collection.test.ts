import { openTestStore } from '@inventory/testkit/test-store';
import type { MongoConnection } from '../src/connect.ts';
import type { TypedCollection } from '../src/typed-collection.ts';

interface Thing {
  readonly _id: string;
  readonly phase: 'queued' | 'done';
  readonly dueAt?: Date;
  readonly scan: { readonly epoch: number; readonly endedAt: Date | null } | null;
  readonly pages: readonly { readonly page: number }[];
}

let mongo: MongoConnection;
let things: TypedCollection<Thing>;

beforeAll(async () => {
  mongo = await openTestStore('typed');
  things = mongo.db.collection<Thing>('things');
  const scan = { epoch: 1, endedAt: null };
  const thing = { _id: 'a', phase: 'queued', dueAt: new Date(1), scan, pages: [] } as const;
  await things.insertMany([thing], { ordered: false });
});
afterAll(() => mongo.close());

test("a typed collection is the driver's: fields and dot paths filter and update", async () => {
  const due = { phase: 'queued', dueAt: { $lte: new Date(1) }, 'scan.epoch': 1 } as const;
  const endedAt = new Date(2);
  await things.updateOne(due, {
    $set: { phase: 'done', 'scan.endedAt': endedAt },
    $inc: { 'scan.epoch': 1 },
    $push: { pages: { $each: [{ page: 0 }, { page: 1 }] } },
    $unset: { dueAt: '' },
  });

  expect(await things.countDocuments(due)).toBe(0);
  expect(await things.findOne({ $or: [{ 'scan.epoch': 2 }, { _id: 'b' }] })).toEqual({
    _id: 'a',
    phase: 'done',
    scan: { epoch: 2, endedAt },
    pages: [{ page: 0 }, { page: 1 }],
  });
});

test('a field that is not stored, or a value of another type, does not compile: it would match nothing', async () => {
  // @ts-expect-error no such field
  expect(await things.countDocuments({ phse: 'done' })).toBe(0);
  // @ts-expect-error no such field in the embedded document
  expect(await things.countDocuments({ 'scan.epoc': 2 })).toBe(0);
  // @ts-expect-error no such value
  expect(await things.countDocuments({ phase: 'over' })).toBe(0);
  // @ts-expect-error a date is compared with a date
  expect(await things.countDocuments({ 'scan.endedAt': { $gte: 0 } })).toBe(0);
  // @ts-expect-error an epoch is a number
  const asText = () => things.updateOne({ _id: 'b' }, { $set: { 'scan.epoch': '3' } });
  expect(await asText()).toMatchObject({ matchedCount: 0 });
  // @ts-expect-error only lists are pushed to
  const pushed = () => things.updateOne({ _id: 'b' }, { $push: { phase: 'done' } });
  expect(await pushed()).toMatchObject({ matchedCount: 0 });
});
