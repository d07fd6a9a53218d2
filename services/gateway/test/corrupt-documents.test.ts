import { randomBytes } from 'node:crypto';
import type { MongoConnection } from '@inventory/mongo/connect';
import { systemClock } from '@inventory/runtime/clock';
import { uuidV7From } from '@inventory/runtime/identifiers';
import {
  newAccountId,
  newProjectId,
  newRefreshId,
  newRequestId,
  newScope,
} from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { openTestStore } from '@inventory/testkit/test-store';
import { createCaptureStore } from '../src/captures/capture-store.ts';
import { createAuditStore } from '../src/operator/audit-store.ts';
import { createPendingCancelStore } from '../src/refreshes/pending-cancel-store.ts';
import { createAccount, createProject, createServiceAccount } from '../src/tenancy/creations.ts';
import { createTenancyStore } from '../src/tenancy/tenancy-store.ts';
import { createWatchStore, watchKeyOf } from '../src/watches/watch-store.ts';
import { farMs, patientDeadlines } from './support/patience.ts';
import { watchOf } from './support/watch-of.ts';

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('gateway');
});
afterAll(() => mongo.close());

/** Due before all others, as faulty writes leave them. */
async function insertCorrupt(collection: string): Promise<void> {
  const documents = ['corrupt-1', 'corrupt-2'].map((_id) => ({
    _id,
    work: { dueAtMs: 0 },
  }));
  await mongo.db.collection(collection).insertMany(documents as never);
}

test('corrupt commands that are due first hide none of those to be re-sent (decisions/0013)', async () => {
  const { insertCancel, cancels } = createPendingCancelStore(
    mongo.db,
    { ...patientDeadlines, waitMaxMs: farMs },
    testLogger,
  );
  await insertCorrupt('pending_cancels');
  const id = newRefreshId();
  const owner = { accountId: newAccountId(), projectId: newProjectId() };
  await insertCancel({ refreshId: id, ...owner, requestedAtMs: 1 }, 1);

  const due = await cancels.findDue(1, 1);

  expect(due.map((command) => command.id)).toEqual([id]);
});

test('corrupt captures that are due first hide none of those to be completed (decisions/0013)', async () => {
  const captures = createCaptureStore(mongo.db, patientDeadlines, testLogger);
  await insertCorrupt('captures');
  const chainId = identifiers.uuidV7();
  const capture = {
    chainId,
    accountId: newAccountId(),
    scope: newScope(),
    language: 'english',
    scanWindow: { startedAtMs: 1, completedAtMs: 2 },
    reportedTotalCount: 1,
    evidence: '',
    replaced: [],
    giveUpAtMs: farMs,
  } as const;
  await captures.insertCapture(capture, {}, 2);

  const due = await captures.pending.findDue(farMs, 1);

  expect(due.map((found) => found.id)).toEqual([chainId]);
});

/** A list in the order of its insertions. */
interface List {
  /** Inserts the next one; its id. */
  insert(): Promise<string>;
  list(limit: number): Promise<string[]>;
}

let mintedMs = Date.now();
/** Each of a later millisecond than the one before: those of one are in no order. */
const identifiers = {
  uuidV7() {
    mintedMs += 1;
    return uuidV7From(mintedMs, randomBytes(10));
  },
};
const process = { clock: systemClock, identifiers };
const tenancy = () => createTenancyStore(mongo.db, testLogger);
const from = { afterId: null };

/** Of the same owner. */
const listsOf: Readonly<Record<string, () => Promise<List>>> = {
  async accounts() {
    const store = tenancy();
    const newest =
      (await store.accounts.list({}, { ...from, limit: 1_000 })).at(-1)?.accountId ?? null;
    return {
      insert: async () => (await createAccount(store, only(process), { name: '' })).accountId,
      list: async (limit) => {
        const found = await store.accounts.list({}, { afterId: newest, limit });
        return found.map(({ accountId }) => accountId);
      },
    };
  },
  async projects() {
    const store = tenancy();
    const { accountId } = await createAccount(store, only(process), { name: '' });
    return {
      insert: async () =>
        (await createProject(store, only(process), { accountId, name: null })).projectId,
      list: async (limit) => {
        const found = await store.projects.list({ accountId }, { ...from, limit });
        return found.map(({ projectId }) => projectId);
      },
    };
  },
  async service_accounts() {
    const store = tenancy();
    const account = await createAccount(store, only(process), { name: '' });
    const wanted = { accountId: account.accountId, name: '' };
    const mark = () => Promise.resolve();
    return {
      insert: async () =>
        (await createServiceAccount(store, mark, only(process), wanted)).serviceAccountId,
      // The default one is first.
      list: async (limit) => {
        const found = await store.serviceAccounts.list(account, { ...from, limit: limit + 1 });
        return found.slice(1).map(({ serviceAccountId }) => serviceAccountId);
      },
    };
  },
  async credentials() {
    const store = tenancy();
    const projectId = newProjectId();
    return {
      async insert() {
        const uuid = identifiers.uuidV7();
        const credentialId = `cred_${uuid}` as const;
        const accountId = newAccountId();
        await store.credentials.insert({
          ...{ credentialId, accountId, projectId, serviceAccountId: `sa_${uuid}`, name: null },
          ...{ state: 'active', scopes: [], expiresAtMs: null, networkPolicy: null },
          ...{ rotation: 0, keyedRotations: [], createdAtMs: 1, changedAtMs: 1, revokedAtMs: null },
          secrets: [{ digest: uuid, issuedAtMs: 1, validUntilMs: null }],
        });
        return credentialId;
      },
      list: async (limit) => {
        const found = await store.credentials.list({ projectId }, { ...from, limit });
        return found.map((one) => one.credentialId);
      },
    };
  },
  async watches() {
    const store = createWatchStore(mongo.db, patientDeadlines, testLogger);
    const projectId = newProjectId();
    const part = { projectId, state: undefined, after: null };
    let at = 0;
    return {
      async insert() {
        at += 1;
        const watch = watchOf(at, projectId);
        await store.insertWatch(watch, 10);
        return watchKeyOf(projectId, watch.scope);
      },
      list: async (limit) =>
        (await store.listWatches({ ...part, limit })).map(({ scope }) =>
          watchKeyOf(projectId, scope),
        ),
    };
  },
  async operator_audit() {
    const store = createAuditStore(mongo.db, patientDeadlines, testLogger);
    const operator = identifiers.uuidV7();
    const part = { fromMs: null, toMs: null, operator, after: null };
    const call = {
      operator,
      requestId: newRequestId(),
      peer: '',
      method: 'POST',
      path: '',
      action: null,
    };
    return {
      async insert() {
        const auditId = `aud_${identifiers.uuidV7()}` as const;
        const entry = { kind: 'started', parameters: {}, outcome: null } as const;
        await store.append({ auditId, atMs: 1, ...call, ...entry });
        return auditId;
      },
      list: async (limit) => (await store.list({ ...part, limit })).map(({ auditId }) => auditId),
    };
  },
};

test.each(Object.keys(listsOf))(
  'a corrupt document of %s hides no other from the list, and does not count in it (decisions/0013)',
  async (collection) => {
    const list = await listsOf[collection]?.();
    if (list === undefined) throw new Error(`no list of ${collection}`);
    const ids = [await list.insert(), await list.insert(), await list.insert()];

    const found = [await list.list(3)];
    for (const _id of ids) {
      const corrupt = { $set: { name: 5, everySeconds: '', parameters: 5 } };
      await mongo.db.collection<{ _id: string }>(collection).updateOne({ _id }, corrupt);
      found.push(await list.list(2));
    }

    expect(found).toEqual([ids, ids.slice(1), ids.slice(2), []]);
  },
);
