import { Bug } from '@inventory/runtime/bug';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { openTestStore } from '@inventory/testkit/test-store';
import { z } from 'zod';
import type { MongoConnection } from '../src/connect.ts';
import { CorruptDocument, parseDocument, readEach, readFirst } from '../src/parse-document.ts';

const things = {
  collection: 'things',
  schema: z.object({
    _id: z.string(),
    phase: z.enum(['queued', 'done']),
    dueAt: z.date().optional(),
    scan: z.object({ epoch: z.int(), endedAt: z.date().nullable() }).nullable(),
    pages: z.array(z.object({ page: z.int(), digest: z.string() })),
  }),
};
const queued = { collection: 'queue', schema: things.schema.pick({ _id: true, phase: true }) };
const thing = {
  _id: 'a',
  phase: 'queued',
  dueAt: new Date(1),
  scan: { epoch: 1, endedAt: null },
  pages: [{ page: 0, digest: 'secret digest' }],
} as const;

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('parsed');
});
afterAll(() => mongo.close());

/** As the store returns it. */
async function stored(change: object): Promise<{ readonly _id: unknown }> {
  const collection = mongo.db.collection('things');
  await collection.replaceOne({ _id: 'a' as never }, { ...thing, ...change }, { upsert: true });
  const found = await collection.findOne({});
  if (found === null) throw new Error('nothing was stored');
  return found;
}

function corruptionOf(document: { readonly _id: unknown }): CorruptDocument {
  try {
    parseDocument(things, document);
  } catch (error) {
    if (error instanceof CorruptDocument) return error;
  }
  throw new Error('the document was parsed');
}

test('a stored document that satisfies its schema is read with its types, without other fields', async () => {
  const document = await stored({ addedLater: true });

  expect(parseDocument(things, document)).toEqual(thing);
});

test('a stored document that breaks its schema is an error with collection, id and fields', async () => {
  const scan = { epoch: 'one', endedAt: null };
  const document = await stored({ phase: 'over', scan, pages: [{ page: 0 }] });

  expect(corruptionOf(document)).toMatchObject({
    code: 'corrupt_document',
    collection: 'things',
    documentId: 'a',
    fields: ['phase', 'scan.epoch', 'pages.0.digest'],
    message: 'things a: invalid phase, scan.epoch, pages.0.digest',
  });
});

test('the error of a document never has its contents', async () => {
  const document = await stored({ phase: 'hunter2', dueAt: 'hunter2', scan: 'hunter2' });
  const error = corruptionOf(document);

  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/hunter2|secret/);
});

test('the error names at most ten fields', async () => {
  const pages = Array.from({ length: 1_000 }, () => ({ page: 'none', digest: '' }));

  expect(corruptionOf(await stored({ pages })).fields).toHaveLength(10);
});

test('a corrupt document is a broken invariant: its message ends in the dead letters', () => {
  expect(new CorruptDocument('things', 'a', ['phase'])).toBeInstanceOf(Bug);
});

test('a corrupt document of a work queue is logged and skipped, and blocks no other', async () => {
  const logged: unknown[] = [];
  const documents = [
    await stored({}),
    await stored({ phase: 'over' }),
    await stored({ pages: [] }),
  ];

  const read = readEach(
    documents,
    (document) => parseDocument(things, document),
    only({ error: (line: unknown) => logged.push(line) }),
  );

  expect(read.map(({ pages }) => pages.length)).toEqual([1, 0]);
  expect(logged).toMatchObject([{ err: { code: 'corrupt_document', documentId: 'a' } }]);
});

test('corrupt documents at the head of a work queue hide none of the first ones that are read', async () => {
  const logged: unknown[] = [];
  const collection = mongo.db.collection<{ _id: string; at: number; phase: string }>('queue');
  const phases = ['over', 'over', 'over', 'queued', 'over', 'queued', 'queued'];
  await collection.insertMany(phases.map((phase, at) => ({ _id: `queued-${at}`, at, phase })));
  const first = (limit: number) =>
    readFirst(
      collection.find({}).sort({ at: 1 }),
      limit,
      (document) => [parseDocument(queued, document)._id],
      only({ error: (line: unknown) => logged.push(line) }),
    );

  expect(await first(1)).toEqual(['queued-3']);
  expect(logged).toHaveLength(3);
  expect(await first(2)).toEqual(['queued-3', 'queued-5']);
  expect(await first(10)).toEqual(['queued-3', 'queued-5', 'queued-6']);
});

test('any other error of a work queue is thrown', () => {
  const fail = () => {
    throw new RangeError('no such thing');
  };

  expect(() => readEach([{}], fail, testLogger)).toThrow(RangeError);
});
