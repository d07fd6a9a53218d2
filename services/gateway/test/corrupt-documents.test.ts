import type { MongoConnection } from '@inventory/mongo/connect';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newAccountId, newProjectId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { openTestStore } from '@inventory/testkit/test-store';
import { createCaptureStore } from '../src/captures/capture-store.ts';
import { createPendingCancelStore } from '../src/refreshes/pending-cancel-store.ts';
import { farMs, patientDeadlines } from './support/patience.ts';

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('gateway');
});
afterAll(() => mongo.close());

/** Due before all others, as faulty writes leave them. */
async function insertCorrupt(collection: string): Promise<void> {
  const documents = ['corrupt-1', 'corrupt-2'].map((_id) => ({
    _id,
    work: { dueAt: new Date(0) },
  }));
  await mongo.db.collection(collection).insertMany(documents as never);
}

test('corrupt commands that are due first take no place among those to be re-sent (decisions/0013)', async () => {
  const { insertCancel, cancels } = createPendingCancelStore(
    mongo.db,
    patientDeadlines,
    testLogger,
  );
  await insertCorrupt('pending_cancels');
  const id = newRefreshId();
  const owner = { accountId: newAccountId(), projectId: newProjectId() };
  await insertCancel({ refreshId: id, ...owner, requestedAtMs: 1 }, 1);

  const due = await cancels.findDue(1, 1);

  expect(due.map((command) => command.id)).toEqual([id]);
});

test('corrupt captures that are due first take no place among those to be completed (decisions/0013)', async () => {
  const captures = createCaptureStore(mongo.db, patientDeadlines, testLogger);
  await insertCorrupt('captures');
  const chainId = systemIdentifiers.uuidV7();
  const capture = {
    chainId,
    accountId: newAccountId(),
    scope: newScope(),
    language: 'english',
    startedAtMs: 1,
    completedAtMs: 2,
    reportedTotalCount: 1,
    evidence: '',
    replaced: [],
    giveUpAtMs: farMs,
  } as const;
  await captures.insertCapture(capture, {}, 2);

  const due = await captures.pending.findDue(farMs, 1);

  expect(due.map((found) => found.id)).toEqual([chainId]);
});
