import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { MongoConnection } from '@inventory/mongo/connect';
import { CorruptDocument } from '@inventory/mongo/parse-document';
import { newAccountId, newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import { ledgerIndexes } from '../src/collections.ts';
import { createAccountCache } from '../src/journal/account-cache.ts';
import { createJournal } from '../src/journal/journal-store.ts';
import { createQuarantineStore } from '../src/journal/quarantine-store.ts';
import { createSnapshotSaver } from '../src/snapshots/save-snapshots.ts';
import { createSnapshotPass } from '../src/snapshots/snapshot-pass.ts';
import { createSnapshotStore } from '../src/snapshots/snapshot-store.ts';
import { createRollUpUsage } from '../src/usage/roll-up-usage.ts';
import { createUsageStore } from '../src/usage/usage-store.ts';
import { createVerificationStore } from '../src/verification/verification-store.ts';
import { storeGrants } from './support/long-journal.ts';

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('ledger_corrupt', ledgerIndexes);
});
afterAll(() => mongo.close());

const quarantined = () => createQuarantineStore(mongo.db, testLogger);
const usage = () => createUsageStore(mongo.db, testLogger);
const position = { commitId: 'commit', throughSeq: 1 };

/** A list of accounts, which may have others too. */
interface List {
  readonly collection: string;
  readonly field: string;
  insert(accountId: AccountId): Promise<unknown>;
  list(limit: number): Promise<AccountId[]>;
}

const lists: readonly List[] = [
  {
    ...{ collection: 'quarantine', field: 'detail' },
    insert: (accountId) => quarantined().insertQuarantined({ accountId, sinceMs: 1, detail: '' }),
    list: async (limit) => (await quarantined().listQuarantined(limit)).map(idOf),
  },
  {
    ...{ collection: 'usagePositions', field: 'throughSeq' },
    insert: (accountId) => usage().advancePosition(accountId, position),
    list: async (limit) => (await usage().listPositions(null, limit)).map(idOf),
  },
  {
    ...{ collection: 'usageDays', field: 'products' },
    insert: (accountId) => usage().saveDays(accountId, [{ before: null, after: dayOf() }]),
    async list() {
      const found: AccountId[] = [];
      for await (const { accountId } of usage().scanDays({ after: null, upTo: null })) {
        found.push(accountId);
      }
      return found;
    },
  },
];

const idOf = ({ accountId }: { readonly accountId: AccountId }) => accountId;
const dayOf = (projectId: ProjectId = newProjectId()) => ({
  ...{ day: 20_000, projectId, products: [], throughSeq: 1 },
});

const corrupt = ({ collection, field }: Pick<List, 'collection' | 'field'>, accountId: AccountId) =>
  mongo.db
    .collection<{ _id: string }>(collection)
    .updateOne({ _id: { $gte: accountId, $lt: `${accountId}~` } }, { $set: { [field]: null } });

test.each(lists)(
  'a corrupt document of $collection hides no other from the list, and does not count in it (decisions/0013)',
  async (list) => {
    await mongo.db.collection(list.collection).deleteMany({});
    const accounts = [0, 1, 2].map(() => newAccountId()).sort();
    for (const accountId of accounts) await list.insert(accountId);

    const found: AccountId[][] = [await list.list(3)];
    for (const accountId of accounts) {
      await corrupt(list, accountId);
      found.push(await list.list(2));
    }

    expect(found).toEqual([accounts, accounts.slice(1), accounts.slice(2), []]);
  },
);

test('an account whose quarantine is corrupt stays in quarantine (decisions/0013)', async () => {
  const accountId = newAccountId();
  await quarantined().insertQuarantined({ accountId, sinceMs: 1, detail: '' });
  await corrupt({ collection: 'quarantine', field: 'detail' }, accountId);

  expect(await quarantined().listIds(1_000)).toContain(accountId);
  expect(await quarantined().isQuarantined(accountId)).toBe(true);
});

test('a corrupt roll-up fails its own account alone: no report is without a day (decisions/0013)', async () => {
  const [broken, sound] = [newAccountId(), newAccountId()];
  const span = { fromDay: 0, endDay: 30_000, projectId: null };
  for (const accountId of [broken, sound]) {
    await usage().saveDays(accountId, [{ before: null, after: dayOf() }]);
  }
  await corrupt({ collection: 'usageDays', field: 'products' }, broken);

  await expect(usage().listDays(broken, span, 9)).rejects.toThrow(CorruptDocument);
  expect(await usage().listDays(sound, span, 9)).toHaveLength(1);
});

test.each(['the pass', 'the save of what is due'])(
  '%s of snapshots goes over the accounts after one with a corrupt roll-up (decisions/0013)',
  async (which) => {
    await mongo.db.collection('usagePositions').deleteMany({});
    const accounts = Array.from({ length: 9 }, () => newAccountId());
    const stored = await Promise.all(accounts.map((one) => storeGrants(mongo.db, one, 1)));
    // As many as are rolled up at once.
    for (const accountId of accounts.slice(0, 4)) {
      await usage().advancePosition(accountId, position);
      await corrupt({ collection: 'usagePositions', field: 'throughSeq' }, accountId);
    }
    const journal = createJournal(mongo.db, 'test');
    const snapshots = createSnapshotStore(mongo.db);
    const rollUpUsage = createRollUpUsage({ journal, usage: usage() });
    const derived = { snapshots, rollUpUsage, logger: testLogger };

    if (which === 'the pass') {
      await createSnapshotPass({
        ...{ ...derived, journal, intervalMs: 1, clock: createTestClock() },
        bringUpToDate: (_accountId) => Promise.resolve(undefined as never),
        runLeased: (_name, run) => run(new AbortController().signal),
      })();
    } else {
      const cache = createAccountCache(10);
      const saver = createSnapshotSaver({ ...derived, cache, everyEntries: 1 });
      for (const snapshot of stored) saver.noteCommit({ ...snapshot, snapshotSeq: 0 });
      await saver.saveDue();
    }

    const rolledUp = (await usage().listPositions(null, 100)).map(idOf);
    const own = rolledUp.filter((accountId) => accounts.includes(accountId));
    expect(own).toEqual(accounts.slice(4).sort());
  },
);

test('a verification replaces the corrupt record of the last one (decisions/0013)', async () => {
  const verifications = createVerificationStore(mongo.db, testLogger);
  const record = {
    ok: true,
    startedAtMs: 1,
    finishedAtMs: 2,
    accounts: 0,
    entries: 0,
    problems: [],
  };
  await verifications.saveLast(record);
  await mongo.db
    .collection<{ _id: string }>('verifications')
    .updateOne({ _id: 'last' }, { $set: { finishedAtMs: 'yesterday' } });

  const corrupted = await verifications.findLast();
  await verifications.saveLast(record);

  expect([corrupted, await verifications.findLast()]).toEqual([null, record]);
});
