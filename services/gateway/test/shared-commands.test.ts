import type { RefreshId } from '@inventory/contracts/ids';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { CorruptDocument } from '@inventory/mongo/parse-document';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { secretDigest } from '@inventory/runtime/secret-digest';
import { newAccountId, newProjectId, newRequestId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { asForgetful } from '@inventory/testkit/replica-set';
import { openTestStore } from '@inventory/testkit/test-store';
import { MongoClient } from 'mongodb';
import { gatewayIndexes } from '../src/gateway-indexes.ts';
import type { ReadKeyRecord } from '../src/pages/read-key.domain.ts';
import { createReadKeyStore } from '../src/pages/read-key-store.ts';
import { createPendingCancelStore } from '../src/refreshes/pending-cancel-store.ts';
import { createSlotStore } from '../src/streams/stream-slot-store.ts';
import type { Announce } from '../src/tenancy/announce-changes.ts';
import { createAccount, createProject } from '../src/tenancy/creations.ts';
import { issueCredential } from '../src/tenancy/credentials.ts';
import { tenancyDocuments } from '../src/tenancy/tenancy-documents.ts';
import { createTenancyStore, type TenancyStore } from '../src/tenancy/tenancy-store.ts';

const customersMax = 150;
let client: MongoClient;
let database: string;
let store: TenancyStore;
const commands: string[] = [];
const db = () => client.db(database);
const named = (name: string) => commands.filter((one) => one === name).length;

beforeAll(async () => {
  const namespace = await openNamespace({ topics: false });
  database = namespace.database('gateway');
  client = new MongoClient(namespace.mongodbUri, {
    monitorCommands: true,
    writeConcern: { w: 'majority' },
  });
  client.on('commandStarted', ({ commandName }) => commands.push(commandName));
  await client.connect();
  await ensureIndexes(db(), gatewayIndexes);
  store = createTenancyStore(db(), testLogger);
});
afterAll(() => client.close());
beforeEach(() => commands.splice(0));

const announce: Announce = (_thing, write) => {
  const message = {
    type: 'authority.changed.v1',
    id: `authority-changed:${systemIdentifiers.uuidV7()}`,
    body: {
      accountId: newAccountId(),
      projectId: null,
      credentialId: null,
      atMs: systemClock.now(),
    },
  } as const;
  return write({ message, atMs: systemClock.now() });
};

/** The Credential of a new customer and the digest of its secret. */
async function newCredential() {
  const process = { clock: systemClock, identifiers: systemIdentifiers };
  const account = await createAccount(store, only(process), { name: 'Trader' });
  const project = await createProject(store, only(process), {
    accountId: account.accountId,
    name: null,
  });
  const { credential, secret } = await issueCredential(store, announce, systemIdentifiers, {
    projectId: project.projectId,
    ...{ name: null, scopes: ['*'], expiresAtMs: null, networkPolicy: null },
  });
  return { credential, digest: secretDigest(secret) };
}

test('keys that are looked up together share their reads, and each finds its own Credential (architecture: everything is bounded)', async () => {
  const customers = await Promise.all(Array.from({ length: customersMax }, newCredential));
  const unknown = secretDigest('never issued');
  commands.splice(0);

  const found = await Promise.all(
    [...customers.map(({ digest }) => digest), unknown].map(store.findBySecretDigest),
  );

  expect(found.map((one) => one?.credential.credentialId ?? null)).toEqual([
    ...customers.map(({ credential }) => credential.credentialId),
    null,
  ]);
  expect(found.map((one) => one?.project.projectId ?? null)).toEqual([
    ...customers.map(({ credential }) => credential.projectId),
    null,
  ]);
  // Two commands for each of the four collections, were all Service accounts named.
  expect(named('find')).toBeLessThanOrEqual(8);
  expect(named('getMore')).toBe(0);
});

test.each(['rotation', 'serviceAccountId', 'accountId'])(
  'a Credential without its %s fails its own look-up and none beside it (decisions/0013)',
  async (field) => {
    const [corrupt, ...others] = await Promise.all([1, 2, 3].map(newCredential));
    const credentials = db().collection<{ _id: string }>(tenancyDocuments.credentials.collection);
    const id = String(corrupt?.credential.credentialId);
    await credentials.updateOne({ _id: id }, { $unset: { [field]: true } });

    const found = await Promise.allSettled(
      [corrupt, ...others].map((one) => store.findBySecretDigest(String(one?.digest))),
    );

    expect(found.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(found[0]).toMatchObject({ reason: expect.any(CorruptDocument) });
  },
);

test('streams that open together share their writes, and no Project gets more slots than it has (Events: slots) [events-slots]', async () => {
  const slots = createSlotStore(db(), 20_000);
  const projects = Array.from({ length: 50 }, newProjectId);
  const newSlot = () => ({ id: systemIdentifiers.uuidV7(), replica: 'one' });
  const opened = Array.from({ length: 6 }, () => projects).flat();

  const added = await Promise.all(opened.map((one) => slots.add(one, newSlot(), 4)));

  const granted = Map.groupBy(
    opened.filter((_one, index) => added[index]),
    (one) => one,
  );
  expect([...granted.values()].map(({ length }) => length)).toEqual(projects.map(() => 4));
  const stored = await Promise.all(projects.map((one) => slots.list(one)));
  expect(stored.map(({ length }) => length)).toEqual(projects.map(() => 4));
  // What has no room is tried once more.
  expect(named('update')).toBeLessThanOrEqual(2 * 3);
});

const cancelTimes = { storeMs: 60_000, waitMaxMs: 60_000 };

test('attempts without a key that come together share their writes, and each knows whether a replica sends its cancel (Idempotency-Key: outcome unknown)', async () => {
  const store = createPendingCancelStore(db(), cancelTimes, testLogger);
  const owner = { accountId: newAccountId(), projectId: newProjectId(), requestedAtMs: 1 };
  const attempts = Array.from({ length: 40 }, () => systemIdentifiers.uuidV7() as RefreshId);
  const insert = (refreshId: RefreshId) => store.insertCancel({ refreshId, ...owner }, 10);

  await Promise.all(attempts.map(insert));
  expect(commands).toEqual(['insert']);
  const [claimed, sent] = attempts;
  for (const due of await store.cancels.findDue(10, 100)) {
    if (due.id !== claimed && due.id !== sent) continue;
    const pending = await store.cancels.claim(due, 'other', 60_000);
    if (pending !== null && pending.id === sent) await store.cancels.complete(pending);
  }
  commands.splice(0);

  const [, , ...others] = attempts;
  const first = await Promise.all(others.map(store.withdrawCancel));
  expect(first).toEqual(others.map(() => true));
  expect(commands).toEqual(['delete']);
  await Promise.all(others.map(insert));
  const besideClaimed = [claimed, ...others].map((id) => store.withdrawCancel(id as RefreshId));
  expect(await Promise.all(besideClaimed)).toEqual([false, ...others.map(() => true)]);
  expect(await store.withdrawCancel(sent as RefreshId)).toBe(false);
});

test('what is executed again by a server that does not recognise it, because its answer was lost, has no further effect', async () => {
  const mongo = await openTestStore('forgetful', gatewayIndexes, asForgetful);
  const slots = createSlotStore(mongo.db, 20_000);
  const projectId = newProjectId();
  const keys = createReadKeyStore(mongo.db, { lookUpMs: 60_000 });
  const opened = [1, 2].map(() => ({
    ...{ fingerprint: 'page', requestId: newRequestId(), state: 'open', replays: 0, pin: null },
    ...{ openUntilMs: 1, expiresAtMs: 4e12 },
  })) as [ReadKeyRecord, ReadKeyRecord];

  const added: boolean[] = [];
  for (const id of ['a', 'b', 'c']) added.push(await slots.add(projectId, { id, replica: '1' }, 2));
  const firsts = [await keys.openKey('key', opened[0]), await keys.openKey('key', opened[1])];
  const { accountId } = await createAccount(
    createTenancyStore(mongo.db, testLogger),
    only({ clock: systemClock, identifiers: systemIdentifiers }),
    { name: 'Trader' },
  );

  expect(added).toEqual([true, true, false]);
  expect((await slots.list(projectId)).map((slot) => slot.id)).toEqual(['a', 'b']);
  expect(firsts).toEqual([true, false]);
  expect(await createTenancyStore(mongo.db, testLogger).accounts.find(accountId)).not.toBeNull();
  await mongo.close();
});

test('the first streams of a Project that open on several replicas at once all have a slot (Events: slots) [events-slots]', async () => {
  let conflicts = 0;
  const mongo = await openTestStore('conflicts', gatewayIndexes, ({ update }) => {
    if (update !== 'stream_slots' || conflicts > 0) return undefined;
    conflicts += 1;
    const writeErrors = [{ index: 0, code: 11_000, errmsg: 'E11000' }];
    return { response: { ok: 1, n: 0, nModified: 0, writeErrors } };
  });
  const slots = createSlotStore(mongo.db, 20_000);

  expect(await slots.add(newProjectId(), { id: 'a', replica: '1' }, 2)).toBe(true);
  expect(conflicts).toBe(1);
  await mongo.close();
});
