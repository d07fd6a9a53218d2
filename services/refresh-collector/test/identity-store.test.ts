import type { MongoConnection } from '@inventory/mongo/connect';
import { testLogger } from '@inventory/testkit/namespace';
import { openTestStore } from '@inventory/testkit/test-store';
import { openCollections } from '../src/collections.ts';
import { acquireIdentity, freshIdentity } from '../src/egress/egress-identity.domain.ts';
import { createIdentityStore, type IdentityStore } from '../src/egress/identity-store.ts';

const limits = {
  ...{ requestsPerMinute: 3, burst: 2 },
  ...{ cooldownFirstMs: 90_000, cooldownMaxMs: 1_800_000 },
  ...{ unreachableFirstMs: 10_000, unreachableMaxMs: 300_000 },
};
const scan = { isLive: false, deadlineMs: 7 };
const live = { isLive: true, deadlineMs: null };

let mongo: MongoConnection;
let identities: IdentityStore;
beforeAll(async () => {
  mongo = await openTestStore('identities');
  identities = createIdentityStore(openCollections(mongo.db).identities, testLogger);
});
afterAll(() => mongo.close());

const read = async (id: string) => (await identities.loadIdentities([id]))[0];

test('claims of a slot refuse no write of its holder, and end with the next acquisition', async () => {
  const fresh = freshIdentity('claimed');
  const read1 = { inventory: 'i', isLive: true };
  const use = { token: 't', holder: 'one', nowMs: 1, untilMs: 2, read: read1 };
  const taken = acquireIdentity(fresh, limits, use);
  await read('claimed');

  const first = await identities.saveIdentity(fresh, taken);
  await identities.saveClaim('claimed', 'two', scan);
  await identities.saveClaim('claimed', 'three', live);
  await identities.saveClaim('claimed', 'two', { ...scan, deadlineMs: 5 });
  const free = { ...taken, version: taken.version + 1, inFlight: null };
  const released = await identities.saveIdentity(taken, free);
  await identities.saveClaim('claimed', 'three', null);
  const waiting = await read('claimed');
  const again = await identities.saveIdentity(free, acquireIdentity(free, limits, use));

  const two = { ...scan, deadlineMs: 5 };
  expect(first).toEqual(taken);
  expect(released).toEqual({ ...free, claims: { two, three: live } });
  expect(waiting).toEqual({ ...free, claims: { two } });
  expect(again?.claims).toEqual({});
  expect(await identities.saveIdentity(free, { ...free, version: 9 })).toBeNull();
});

test('one from before there were claims has none, and no holder', async () => {
  const { id: _id, holder: _h, claims: _c, ...old } = freshIdentity('old');
  await openCollections(mongo.db).identities.insertOne({ _id, ...old } as never);

  expect(await read('old')).toEqual(freshIdentity('old'));
});
