import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { ReceivedMessageOf } from '@inventory/messaging/bus';
import { onBillingOutcome } from '../src/on-messages.ts';
import { applyFact, sendEffects } from '../src/saga/apply-fact.ts';
import type { Saga } from '../src/saga/open-saga.ts';
import { noEndCheck } from '../src/saga/recorded-scan.domain.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import type { Fact } from '../src/saga/refresh-fact.domain.ts';
import type { RefreshStore } from '../src/saga/refresh-store.ts';
import { acceptedRefresh, holdOf } from './refresh-builder.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

let stored: StoredRefreshes;
let refreshes: RefreshStore;

beforeAll(async () => {
  stored = await openStoredRefreshes();
  refreshes = stored.openStore();
});
afterAll(() => stored.close());

const lastPage = { page: 0, index: 0, epoch: 1, chunks: [], nextCursor: null };

/** Its manifest, of one page, was sent. */
async function insertAssembling(): Promise<Refresh> {
  const atMs = stored.clock.now();
  const accepted = acceptedRefresh();
  await refreshes.insertRefresh(accepted);
  const assembling: Refresh = {
    ...accepted,
    version: accepted.version + 1,
    phase: 'assembling',
    collectDeadlineMs: atMs + 3_600_000,
    scan: {
      epoch: 1,
      sequence: 1,
      startedAtMs: atMs,
      completedAtMs: atMs,
      pages: 1,
      assetsRead: 1,
      reportedTotalCount: 1,
      endCheck: noEndCheck,
      parked: false,
      worker: null,
    },
  };
  await refreshes.saveStep(accepted, assembling, lastPage);
  return assembling;
}

test('a recorded page carries what the pages after it are compared with, for any worker (Refresh: only complete scans) [only-complete-scans]', async () => {
  const refresh = acceptedRefresh();
  await refreshes.insertRefresh(refresh);
  const collecting: Refresh = { ...refresh, version: 2, phase: 'collecting' };
  const page = { ...lastPage, nextCursor: '20', assetKeys: new Float64Array([2 ** 53 - 1, 0, 1]) };

  await refreshes.saveStep(refresh, collecting, page);

  expect(await refreshes.readStagedPages(refresh.refreshId)).toEqual([page]);
});

test('a manifest is resent while its scan is undecided, and nothing is after that (Refresh)', async () => {
  const assembling = await insertAssembling();
  const saga = stored.openSaga(refreshes);
  const resend = () => sendEffects(saga, assembling, ['complete_scan']);
  await resend();
  const settling: Refresh = { ...assembling, version: assembling.version + 1, phase: 'settling' };
  await refreshes.saveStep(assembling, settling);

  await resend();

  expect(saga.sent.map(({ id }) => id)).toEqual([`completed:${assembling.refreshId}`]);
});

test('a step costs one write, also where its messages cannot be sent: they are pending in the refresh (architecture: a pending request is re-sent)', async () => {
  const { collection, clock } = stored;
  let writes = 0;
  const updateOne: typeof collection.updateOne = (...update) => {
    writes += 1;
    return collection.updateOne(...update);
  };
  const counted = stored.openStore(Object.assign(Object.create(collection), { updateOne }));
  const accepted = acceptedRefresh();
  await counted.insertRefresh(accepted);
  const saga = {
    ...stored.openSaga(counted),
    publish: () => Promise.reject(new Error('no broker')),
  };
  const reservation = { priceVersion: 1, asset: 'credits', amount: 125, available: 0 } as const;
  const facts = [
    { fact: 'reserved', reservation },
    { fact: 'queue_deadline_passed' },
  ] as const satisfies Fact[];

  for (const fact of facts) await applyFact(saga, accepted.refreshId, fact, 'resend');

  expect(writes).toBe(facts.length);
  const pending = { queue: 'commands', dueAtMs: clock.now() + 10_000 };
  expect(await collection.findOne({ _id: accepted.refreshId })).toMatchObject({
    phase: 'settling',
    work: pending,
  });
  const repeated = applyFact(
    saga,
    accepted.refreshId,
    { fact: 'rejected', reason: 'abandoned' },
    'redelivery',
  );
  await expect(repeated).rejects.toThrow('no broker');
});

const charge = { result: 'applied', disposition: 'finalize_complete', amountCharged: 2 } as const;
const lost = { result: 'refused', refusal: { code: 'hold_unknown' } } as const;

test.each([
  ['a charge', charge, { disposition: 'finalize_complete', charged: 2 }],
  ['no hold', lost, { disposition: 'release', charged: 0 }],
])(
  'an end of billing that another replica receives before the phase of its command is written is applied once it is: %s (Refresh: committed)',
  async (_what, ended, billing) => {
    const assembling = await insertAssembling();
    const [{ collection }, other] = [stored, stored.openStore()];
    const isRead = Promise.withResolvers<void>();
    const body = { ...holdOf(assembling), kind: 'settle', ...ended } as BillingOutcome;
    const early = stored.openSaga({
      ...other,
      findRefresh: (id) => other.findRefresh(id).finally(isRead.resolve),
    });
    let received: Promise<void> | undefined;
    const updateOne: typeof collection.updateOne = async (...update) => {
      await isRead.promise;
      return collection.updateOne(...update);
    };
    const saga: Saga = {
      ...stored.openSaga(stored.openStore(Object.assign(Object.create(collection), { updateOne }))),
      async publish() {
        const message = { type: 'billing.outcome.v1', body, trace: {} };
        const handle = onBillingOutcome(early)['billing.outcome.v1'];
        received = handle?.(message as ReceivedMessageOf<'billing.outcome.v1'>);
      },
    };
    const committed: Fact = {
      fact: 'committed',
      ...{ revisionId: 'invrev_0198c0de-0000-7000-8000-000000000003', previousRevisionId: null },
      ...{ changed: true, observedAssets: 1 },
    };

    await applyFact(saga, assembling.refreshId, committed, 'redelivery');
    await received;

    expect(await other.findRefresh(assembling.refreshId)).toMatchObject({
      phase: 'completed',
      billing,
    });
  },
);
