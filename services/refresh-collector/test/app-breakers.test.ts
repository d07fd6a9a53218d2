import type { AccountId } from '@inventory/contracts/ids';
import type { MongoConnection } from '@inventory/mongo/connect';
import { newAccountId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import { openCollections } from '../src/collections.ts';
import { createAppBreakerStore } from '../src/egress/app-breaker-store.ts';
import { type AppBreakers, watchAppBreakers } from '../src/egress/watch-app-breakers.ts';
import type { PlatformResponse } from '../src/platform/platform-response.domain.ts';
import { createRefreshListStore } from '../src/saga/refresh-list-store.ts';

const fault: PlatformResponse = { kind: 'fault', reason: 'server_error', eresult: 20 };
const served: PlatformResponse = { kind: 'private' };
let mongo: MongoConnection;
let app = 1_000;

beforeAll(async () => {
  mongo = await openTestStore('breakers');
});
afterAll(() => mongo.close());

/** Two replicas, and an application that no other test uses. */
async function openReplicas() {
  app += 1;
  await mongo.db.collection('refreshes').deleteMany({});
  const clock = createTestClock();
  const { appBreakers, refreshes } = openCollections(mongo.db);
  const { isOnlyAccount } = createRefreshListStore(refreshes, testLogger);
  const store = createAppBreakerStore(appBreakers, isOnlyAccount, testLogger);
  /** A replica, by a clock of its own where one is given. */
  const open = (by = clock) => watchAppBreakers(store, by, testLogger);
  return { clock, open, one: open(), other: open() };
}

const send = (breakers: AppBreakers, accountId = newAccountId()) =>
  breakers.trackRequest({ accountId, scope: newScope({ app_id: app }) });

/** So many inventories fail, of these accounts in turn. */
async function fail(breakers: AppBreakers, times: number, accounts: readonly AccountId[]) {
  for (let at = 0; at < times; at += 1) {
    await send(breakers, accounts[at % accounts.length])(fault);
  }
}
const two = [newAccountId(), newAccountId()];

test('a breaker that one replica opens is open on all; one request is let through and closes it early on all [application-breaker]', async () => {
  const { clock, one, other } = await openReplicas();
  await fail(one, 8, two);
  await other.update();
  expect([one.isOpen(app), other.isOpen(app)]).toEqual([true, true]);
  expect(await one.admits(app)).toBe(false);

  clock.advance(30_000);
  const admitted = [await other.admits(app), await one.admits(app), await other.admits(app)];
  await send(other)(served);
  await one.update();

  expect(admitted).toEqual([true, false, false]);
  expect([one.isOpen(app), other.isOpen(app)]).toEqual([false, false]);
  expect(await one.admits(app)).toBe(true);
});

test('after its time it is half open until a probe is answered; one that fails opens it for longer [application-breaker]', async () => {
  const { clock, one } = await openReplicas();
  await fail(one, 8, two);
  clock.advance(60_000);
  expect(one.isOpen(app)).toBe(false);
  expect([await one.admits(app), await one.admits(app)]).toEqual([true, false]);

  await fail(one, 1, two);

  expect(one.isOpen(app)).toBe(true);
  expect(one.openUntilMs(app)).toBe(clock.now() + 120_000);
});

test('what was sent before it opened neither closes nor prolongs it', async () => {
  const { one } = await openReplicas();
  const late = send(one);
  await fail(one, 8, two);
  const untilMs = one.openUntilMs(app);

  await late(served);

  expect([one.isOpen(app), one.openUntilMs(app)]).toEqual([true, untilMs]);
});

test('a probe of a replica that is 25 s ahead is the only one until the next is due', async () => {
  const { clock, open, one } = await openReplicas();
  await fail(one, 8, two);
  clock.advance(5_000);
  const ahead = open(createTestClock(clock.now() + 25_000));
  await ahead.update();
  expect(await ahead.admits(app)).toBe(true);

  await one.update();
  clock.advance(54_999);
  const before = await one.admits(app);
  clock.advance(1);

  expect([before, await one.admits(app)]).toEqual([false, true]);
});

describe('one of a replica whose clock was a day ahead', () => {
  const dayMs = 86_400_000;
  async function openAhead() {
    const { clock, open, one, other } = await openReplicas();
    const ahead = open(createTestClock(clock.now() + dayMs));
    await fail(ahead, 8, two);
    await Promise.all([one.update(), other.update()]);
    return { clock, ahead, one, other };
  }

  it('is probed at once, by one replica, and closed by what is answered [application-breaker]', async () => {
    const { one, other } = await openAhead();
    expect([one.isOpen(app), one.scanAllowance(app)]).toEqual([false, 'one']);

    const admitted = [await one.admits(app), await other.admits(app), await one.admits(app)];
    const probed = send(one);
    await Promise.all([one.update(), other.update()]);
    expect(one.scanAllowance(app)).toBe('one');
    await probed(served);
    await other.update();

    expect(admitted).toEqual([true, false, false]);
    expect([one.scanAllowance(app), other.scanAllowance(app)]).toEqual(['all', 'all']);
  });

  it('opens for its time where the probe fails, and a probe of that clock delays none', async () => {
    const { clock, ahead, one } = await openAhead();
    expect(await one.admits(app)).toBe(true);
    await fail(one, 1, two);
    expect(one.openUntilMs(app)).toBe(clock.now() + 120_000);

    await ahead.update();
    expect(await ahead.admits(app)).toBe(true);
    await one.update();

    expect([one.isOpen(app), await one.admits(app)]).toEqual([true, true]);
  });
});

test('a probe without an answer is followed by another one half a minute later', async () => {
  const { clock, one } = await openReplicas();
  await fail(one, 8, two);
  clock.advance(30_000);
  expect(await one.admits(app)).toBe(true);

  clock.advance(29_999);
  expect(await one.admits(app)).toBe(false);
  clock.advance(1);
  expect(await one.admits(app)).toBe(true);
});

test('requests that reach no platform are no evidence about its applications', async () => {
  const { one } = await openReplicas();
  for (let at = 0; at < 20; at += 1) {
    await send(one)({ kind: at % 2 === 0 ? 'unreachable' : 'bad_request' });
  }

  expect(one.isOpen(app)).toBe(false);
});

test('broken inventories of one account close no application, unless it is the only account', async () => {
  const { one, other } = await openReplicas();
  const refreshes = openCollections(mongo.db).refreshes.collectionName;
  const stored = { _id: newRefreshId() as never, accountId: newAccountId(), terminal: true };
  await mongo.db.collection(refreshes).insertOne(stored);
  const noisy = [newAccountId()];
  await fail(one, 30, noisy);
  expect(one.isOpen(app)).toBe(false);

  await mongo.db.collection(refreshes).deleteMany({});
  await fail(other, 8, noisy);
  expect(other.isOpen(app)).toBe(true);
});

test('an account whose live pages were read counts as another one', async () => {
  const { one } = await openReplicas();
  await send(one)(served);

  await fail(one, 30, [newAccountId()]);

  expect(one.isOpen(app)).toBe(false);
});
