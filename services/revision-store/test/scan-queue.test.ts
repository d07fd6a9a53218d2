import type { MongoConnection } from '@inventory/mongo/connect';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { openTestStore } from '@inventory/testkit/test-store';
import { collectionsOf } from '../src/storage/collections.ts';
import { createScanRecords } from '../src/storage/scan-store.ts';
import { createWaitingScans } from '../src/storage/waiting-scans.ts';
import { completedScan, newScan, plainPage } from './support/scan-builder.ts';

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('revision_store');
});
afterAll(() => mongo.close());

const leaseMs = 15_000;
const waiting = () => createWaitingScans(collectionsOf(mongo.db).scans, leaseMs, testLogger);

test('corrupt scans that are due first hide none of those to be assembled (decisions/0013)', async () => {
  const { scans } = collectionsOf(mongo.db);
  const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
  const completed = completedScan(scan);
  await createScanRecords(scans).insertScan({ scan: completed, trace: {}, nowMs: 3 });
  const corrupt = [1, 2].map((dueAtMs) => ({
    _id: systemIdentifiers.uuidV7(),
    work: { dueAtMs, tries: 0, owner: null, queue: 'small' },
  }));
  await scans.insertMany(corrupt as never);

  const due = await waiting().queues.small.findDue(3, 1);

  expect(due.map(({ id }) => id)).toEqual([scan.scanId]);
});

test.each([1, 9])(
  'an assembly of %i pages that was claimed by a clock a day ahead is due now, and one that may wait is not',
  async (pageCount) => {
    const { scans } = collectionsOf(mongo.db);
    const [queue, nowMs, dayMs] = [
      pageCount === 1 ? 'small' : 'large',
      1_000_000,
      86_400_000,
    ] as const;
    await scans.deleteMany({});
    const insert = async (dueAtMs: number) => {
      const pages = Array.from({ length: pageCount }, (_, page) => plainPage(page, 3));
      const scan = newScan({ scope: newScope(), pages });
      const completed = completedScan(scan);
      const claim = { owner: 'ahead', dueAtMs };
      await createScanRecords(scans).insertScan({ scan: completed, trace: {}, nowMs }, claim);
      return scan.scanId;
    };
    await insert(nowMs + 30_000);
    const ahead = await insert(nowMs + dayMs + leaseMs);

    const due = await waiting().queues[queue].findDue(nowMs, 9);

    expect(due.map(({ id }) => id)).toEqual([ahead]);
  },
);
