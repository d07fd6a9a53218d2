import type { MongoConnection } from '@inventory/mongo/connect';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { openTestStore } from '@inventory/testkit/test-store';
import { fromCompletedMessage } from '../src/consumers/on-revision-commands.ts';
import { collectionsOf } from '../src/storage/collections.ts';
import { createScanStore } from '../src/storage/scan-store.ts';
import { createWaitingScans } from '../src/storage/waiting-scans.ts';
import { completedMessage, newScan, plainPage } from './support/scan-builder.ts';

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('revision_store');
});
afterAll(() => mongo.close());

test('corrupt scans that are due first take no place among those to be assembled (decisions/0013)', async () => {
  const { scans } = collectionsOf(mongo.db);
  const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
  const completed = fromCompletedMessage(completedMessage(scan));
  await createScanStore(scans).insertScan({ scan: completed, trace: {}, nowMs: 3 });
  const corrupt = [1, 2].map((dueAt) => ({
    _id: systemIdentifiers.uuidV7(),
    work: { dueAt: new Date(dueAt), tries: 0, owner: null, queue: 'small' },
  }));
  await scans.insertMany(corrupt as never);

  const due = await createWaitingScans(scans, testLogger).queues.small.findDue(3, 1);

  expect(due.map(({ id }) => id)).toEqual([scan.scanId]);
});
