import type { MongoConnection } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { createMemoryQueue, type MemoryQueue } from '@inventory/testkit/memory-queue';
import { testLogger } from '@inventory/testkit/namespace';
import { openTestStore } from '@inventory/testkit/test-store';
import { newWork, workField, workIndex } from '@inventory/work/work-field';
import { createWorkQueue, makeDue, type WorkQueue } from '@inventory/work/work-queue';
import { z } from 'zod';

const documents = {
  collection: 'things',
  schema: z.object({ _id: z.string(), text: z.string(), work: workField.exactOptional() }),
};
type Thing = z.infer<typeof documents.schema>;

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await openTestStore('work');
  const indexes = { collection: 'things', indexes: [workIndex] };
  await ensureIndexes(mongo.db, [indexes]);
});
beforeEach(() => things().deleteMany({}));
afterAll(() => mongo.close());

const things = () => mongo.db.collection<Thing>('things');

function openStored(completed: 'deleted' | 'kept', queue?: string): WorkQueue<string> {
  return createWorkQueue({
    collection: things(),
    documents,
    ...(queue === undefined ? {} : { queue }),
    toItem: ({ text }) => text,
    completed,
    logger: testLogger,
  });
}

const insert = (id: string, dueAtMs: number, queue?: string) =>
  things().insertOne({ _id: id, text: `of ${id}`, work: newWork(dueAtMs, queue) });

/** A queue with two items, due at 5 and 3. */
type Opening = () => Promise<WorkQueue<string> & Pick<MemoryQueue<string>, 'makeDue'>>;
const kinds: readonly (readonly [string, Opening])[] = [
  [
    'a collection',
    async () => {
      await insert('late', 5);
      await insert('early', 3);
      const make = (id: string, dueAtMs: number) =>
        makeDue(things(), [{ which: { _id: id }, dueAtMs }]);
      return { ...openStored('deleted'), makeDue: make };
    },
  ],
  [
    'memory',
    async () => {
      const queue = createMemoryQueue<string>();
      queue.add('late', 'of late', 5);
      queue.add('early', 'of early', 3);
      return queue;
    },
  ],
];

describe.each(kinds)('work in %s', (_name, open) => {
  it('is found once it is due, the earliest first, with its item', async () => {
    const queue = await open();

    expect(await queue.findDue(2, 10)).toEqual([]);
    expect(await queue.findDue(4, 10)).toEqual([
      { id: 'early', item: 'of early', dueAtMs: 3, tries: 0, ownerBefore: null },
    ]);
    expect((await queue.findDue(9, 10)).map(({ id }) => id)).toEqual(['early', 'late']);
    expect((await queue.findDue(9, 1)).map(({ id }) => id)).toEqual(['early']);
  });

  it('is claimed by one of several, and is due again after the claim', async () => {
    const queue = await open();
    const [found] = await queue.findDue(3, 10);
    if (!found) throw new Error('nothing due');

    const claims = await Promise.all(['a', 'b', 'c'].map((owner) => queue.claim(found, owner, 20)));

    const claimed = claims.filter((claim) => claim !== null);
    expect(claimed).toEqual([{ ...found, tries: 1, dueAtMs: 20 }]);
    expect((await queue.findDue(19, 10)).map(({ id }) => id)).toEqual(['late']);
    expect((await queue.findDue(20, 10)).map(({ id }) => id)).toEqual(['late', 'early']);
  });

  it('stays claimed while its claim is renewed, and returns with a try that counts', async () => {
    const queue = await open();
    const [found] = await queue.findDue(3, 10);
    const claimed = found && (await queue.claim(found, 'a', 20));
    const renewed = claimed && (await queue.renew(claimed, 40));
    if (!claimed || !renewed) throw new Error('not claimed');

    expect(renewed).toEqual({ ...claimed, dueAtMs: 40 });
    expect((await queue.findDue(39, 10)).map(({ id }) => id)).toEqual(['late']);
    await queue.postpone(renewed, 7, 'counts');
    const [, again] = await queue.findDue(7, 10);
    expect(again).toEqual({ ...found, dueAtMs: 7, tries: 1, ownerBefore: 'a' });
    expect(await queue.renew(renewed, 60)).toBeNull();
  });

  it('belongs to the last claim: an earlier one neither holds nor postpones it, but its result is final', async () => {
    const queue = await open();
    const [found] = await queue.findDue(3, 10);
    const first = found && (await queue.claim(found, 'a', 20));
    const second = first && (await queue.claim(first, 'b', 40));
    if (!first || !second) throw new Error('not claimed');

    await queue.postpone(first, 1, 'uncounted');

    expect(await queue.isClaimed(first)).toBe(false);
    expect(await queue.isClaimed(second)).toBe(true);
    expect((await queue.findDue(39, 10)).map(({ id }) => id)).toEqual(['late']);
    await queue.postpone(second, 30, 'uncounted');
    expect((await queue.findDue(30, 10))[1]).toEqual({
      ...second,
      tries: 1,
      dueAtMs: 30,
      ownerBefore: 'b',
    });
    await queue.complete(first);
    expect((await queue.findDue(99, 10)).map(({ id }) => id)).toEqual(['late']);
    await queue.complete(first);
    expect(await queue.isClaimed(second)).toBe(false);
  });
});

describe.each(kinds)('work in %s that is made due', (_name, open) => {
  it('while it is claimed is not claimed twice, and is due at once when its claim ends', async () => {
    const queue = await open();
    const [found] = await queue.findDue(3, 10);
    const claimed = found && (await queue.claim(found, 'a', 20));
    if (!claimed) throw new Error('not claimed');

    await queue.makeDue('early', 4);
    const whileClaimed = (await queue.findDue(19, 10)).map(({ id }) => id);
    expect(await queue.settle(claimed, { nowMs: 9, dueAtMs: null })).toBe('again');

    expect(whileClaimed).toEqual(['late']);
    expect((await queue.findDue(9, 10))[1]).toEqual({ ...found, dueAtMs: 9, tries: 0 });
    expect(await queue.settle(claimed, { nowMs: 9, dueAtMs: 11 })).toBeNull();
  });

  it('before its claim is due earlier, never later, and its claim ends as wanted', async () => {
    const queue = await open();
    await queue.makeDue('late', 4);
    await queue.makeDue('late', 8);
    const [, found] = await queue.findDue(4, 10);
    const claimed = found && (await queue.claim(found, 'a', 20));
    if (!claimed) throw new Error('not claimed');

    await queue.settle(claimed, { nowMs: 5, dueAtMs: 12 });
    const [early, later] = await queue.findDue(12, 10);
    const again = later && (await queue.claim(later, 'b', 30));
    const ended = again && (await queue.settle(again, { nowMs: 13, dueAtMs: null }));

    expect([early?.id, later]).toEqual(['early', { ...found, dueAtMs: 12, tries: 0 }]);
    expect(ended).toBe('settled');
    expect((await queue.findDue(99, 10)).map(({ id }) => id)).toEqual(['early']);
  });
});

describe('work in a collection', () => {
  it('is made due in any document, also without work, and in one that does not exist', async () => {
    const kept = openStored('kept');
    await things().insertOne({ _id: 'idle', text: 'of idle' });
    await insert('claimed', 3);
    const [claimed] = await kept.findDue(3, 1);
    if (claimed) await kept.claim(claimed, 'a', 20);

    const all = ['idle', 'claimed', 'new'].map((_id) => ({ which: { _id }, dueAtMs: 7 }));
    await makeDue(things(), all, { insertMissing: true });
    await makeDue(things(), [{ which: { text: /^of idle/ }, dueAtMs: 6 }]);

    const works = await things().find({}).sort({ _id: 1 }).toArray();
    expect(works.map(({ _id, work }) => [_id, work])).toEqual([
      ['claimed', { dueAtMs: 20, tries: 1, owner: 'a', again: true }],
      ['idle', { dueAtMs: 6, tries: 0, owner: null }],
      ['new', { dueAtMs: 7, tries: 0, owner: null }],
    ]);
  });

  it('of a claim that ends is written with the fields of its owner, unless others changed meanwhile', async () => {
    await insert('early', 3);
    const queue = openStored('kept');
    const [found] = await queue.findDue(3, 1);
    const claimed = found && (await queue.claim(found, 'a', 20));
    if (!claimed) throw new Error('not claimed');

    const settled = { nowMs: 5, dueAtMs: null, fields: { text: 'new' } };
    expect(await queue.settle(claimed, { ...settled, read: { text: 'other' } })).toBeNull();
    expect(await queue.settle(claimed, { ...settled, read: { text: 'of early' } })).toBe('settled');

    expect(await things().findOne({ _id: 'early' })).toEqual({ _id: 'early', text: 'new' });
  });

  it('that a clock a day ahead claimed or postponed is due: no wait is longer than the longest', async () => {
    const [dayMs, waitMaxMs, nowMs] = [86_400_000, 30_000, 1_000_000];
    const queue = createWorkQueue({
      ...{ collection: things(), documents, waitMaxMs, completed: 'kept', logger: testLogger },
      toItem: ({ text }) => text,
    });
    await insert('claimed', 1);
    await insert('postponed', 1);
    for (const found of await queue.findDue(nowMs, 2)) {
      const claimed = await queue.claim(found, 'ahead', nowMs + dayMs + waitMaxMs);
      if (claimed?.id === 'postponed') await queue.postpone(claimed, nowMs + dayMs, 'counts');
    }
    await insert('new', nowMs + dayMs);
    await insert('due', nowMs);
    await insert('waiting', nowMs + waitMaxMs);
    await insert('of a clock a minute ahead', nowMs + waitMaxMs + 60_000);

    const due = await queue.findDue(nowMs, 10);
    const claims = await Promise.all(due.map((found) => queue.claim(found, 'a', nowMs + 90_000)));

    expect(due[0]?.id).toBe('due');
    expect(due.map(({ id }) => id).sort()).toEqual(['claimed', 'due', 'new', 'postponed']);
    expect(claims).not.toContain(null);
    expect((await queue.findDue(nowMs + 60_000, 10)).map(({ id }) => id)).toEqual(['waiting']);
  });

  it('of some keys is left out', async () => {
    await insert('first', 3);
    await insert('second', 4);
    const { collection, ...rest } = { collection: things(), documents, logger: testLogger };
    const queue = createWorkQueue({
      ...{ ...rest, collection, keyField: 'text', completed: 'kept' as const },
      toItem: ({ text }: Thing) => text,
    });

    expect((await queue.findDue(9, 5, ['of first'])).map(({ id }) => id)).toEqual(['second']);
  });

  it('of a document that stays ends without it', async () => {
    await insert('early', 3);
    const queue = openStored('kept');

    await queue.complete({ id: 'early', item: 'of early' });

    expect(await queue.findDue(9, 10)).toEqual([]);
    expect(await things().findOne({ _id: 'early' })).toEqual({ _id: 'early', text: 'of early' });
  });

  it('is found in its own queue only, by the index, past documents that are corrupt', async () => {
    await insert('first', 3, 'some');
    await insert('second', 4, 'others');
    await insert('third', 5);
    await things().insertOne({
      _id: 'corrupt',
      text: 'of corrupt',
      work: { ...newWork(1, 'some'), tries: 'many' as never },
    });

    const found = [undefined, 'some', 'others'].map((queue) =>
      openStored('kept', queue).findDue(9, 1),
    );

    const ids = (await Promise.all(found)).map((due) => due.map(({ id }) => id));
    expect(ids).toEqual([['third'], ['first'], ['second']]);
  });
});
