import type { RefreshId } from '@inventory/contracts/ids';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { CorruptDocument } from '@inventory/mongo/parse-document';
import { isoTime, systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { secretDigest } from '@inventory/runtime/secret-digest';
import { newAccountId, newProjectId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { MongoClient } from 'mongodb';
import { gatewayIndexes } from '../src/gateway-indexes.ts';
import { createPendingCancelStore } from '../src/refreshes/pending-cancel-store.ts';
import { createSeatStore } from '../src/streams/stream-seat-store.ts';
import type { Announce } from '../src/tenancy/announce-changes.ts';
import { createAccount, createProject } from '../src/tenancy/creations.ts';
import { issueCredential } from '../src/tenancy/credentials.ts';
import { tenancyCollections } from '../src/tenancy/tenancy-documents.ts';
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
  const body = { account_id: newAccountId(), project_id: null, credential_id: null };
  const message = {
    type: 'authority.changed.v1',
    id: `authority-changed:${systemIdentifiers.uuidV7()}`,
    body: { ...body, at: isoTime(systemClock.now()) },
  } as const;
  return write({ message, atMs: systemClock.now() });
};

/** The Credential of a new customer and the digest of its secret. */
async function newCredential() {
  const process = { clock: systemClock, identifiers: systemIdentifiers };
  const account = await createAccount(store, process, { name: 'Trader' });
  const project = await createProject(store, process, { accountId: account.id, name: null });
  const { credential, secret } = await issueCredential(store, announce, systemIdentifiers, {
    projectId: project.id,
    ...{ name: null, permissions: ['*'], expiresAtMs: null, networkPolicy: null },
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

  expect(found.map((one) => one?.credential.id ?? null)).toEqual([
    ...customers.map(({ credential }) => credential.id),
    null,
  ]);
  expect(found.map((one) => one?.project.id ?? null)).toEqual([
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
    const credentials = db().collection<{ _id: string }>(tenancyCollections.credentials);
    const id = String(corrupt?.credential.id);
    await credentials.updateOne({ _id: id }, { $unset: { [field]: true } });

    const found = await Promise.allSettled(
      [corrupt, ...others].map((one) => store.findBySecretDigest(String(one?.digest))),
    );

    expect(found.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(found[0]).toMatchObject({ reason: expect.any(CorruptDocument) });
  },
);

test('streams that open together share their writes, and no Project gets more seats than it has (Events: seats) [events-seats]', async () => {
  const seats = createSeatStore(db(), 20_000);
  const projects = Array.from({ length: 50 }, newProjectId);
  const newSeat = () => ({ id: systemIdentifiers.uuidV7(), replica: 'one' });
  const opened = Array.from({ length: 6 }, () => projects).flat();

  const added = await Promise.all(opened.map((one) => seats.add(one, newSeat(), 4)));

  const granted = Map.groupBy(
    opened.filter((_one, index) => added[index]),
    (one) => one,
  );
  expect([...granted.values()].map(({ length }) => length)).toEqual(projects.map(() => 4));
  const stored = await Promise.all(projects.map((one) => seats.list(one)));
  expect(stored.map(({ length }) => length)).toEqual(projects.map(() => 4));
  expect(named('update')).toBeLessThanOrEqual(3);
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
