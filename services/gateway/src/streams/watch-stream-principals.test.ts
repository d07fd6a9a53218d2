import type { AccountId } from '@inventory/contracts/ids';
import { newAccountId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createTestStreams } from '../../test/support/test-streams.ts';
import { watchStreamPrincipals } from './watch-stream-principals.ts';

const dayMs = 24 * 3_600_000;

/** Streams whose secrets no longer exist. */
function world() {
  const clock = createTestClock();
  let elapsedMs = 0;
  const read: string[] = [];
  const hanging = new Map<string, Promise<void>>();
  const store = { isAway: false };
  let wakes = 0;
  const principals = watchStreamPrincipals({
    async findBySecretDigest(digest) {
      read.push(digest);
      await hanging.get(digest);
      if (store.isAway) throw new Error('away');
      return null;
    },
    clock,
    monotonicNow: () => elapsedMs,
    everyMs: 30_000,
    onDue() {
      wakes += 1;
    },
    logger: testLogger,
  });
  const { open } = createTestStreams(clock, principals.watch);
  return {
    clock,
    principals,
    read,
    store,
    pass(ms: number): void {
      elapsedMs += ms;
      clock.advance(ms);
    },
    wakes: () => wakes,
    /** Reads of the secret end when the returned function is called. */
    hang(digest: string): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      hanging.set(digest, promise);
      return resolve;
    },
    open: (accountId: AccountId, secretDigest: string) => open({ accountId, secretDigest }),
  };
}

const revoked = expect.stringContaining('credential_revoked');

test('a change of one account reads the Principals of its own streams only (Events: authority)', async () => {
  const { principals, open, read } = world();
  const [one, ...others] = Array.from({ length: 100 }, () => newAccountId());
  for (const [number, accountId] of others.entries()) open(accountId, `other-${number}`);
  for (const digest of ['a', 'b', 'a']) open(one ?? newAccountId(), digest);
  await principals.checkDue();

  principals.scheduleChecks(one ?? newAccountId());
  await principals.checkDue();

  expect(read.sort()).toEqual(['a', 'b']);
});

test('a stream that opens within a minute of a change of its account is checked at once (Events: authority) [events-revoked]', async () => {
  const { principals, open, clock, wakes } = world();
  const account = newAccountId();
  await principals.checkDue();
  principals.scheduleChecks(account);
  await principals.checkDue();

  clock.advance(60_000);
  const before = wakes();
  const late = open(account, 'late');
  const [woken, other] = [wakes(), open(newAccountId(), 'other')];
  await principals.checkDue();

  expect([late, other].map(({ connection }) => connection.lastFrame)).toEqual([revoked, null]);
  expect([woken, wakes()]).toEqual([before + 1, before + 1]);
});

test('a read that hangs delays no check of another account (Events: authority) [events-revoked]', async () => {
  const { principals, open, hang } = world();
  const [one, other] = [newAccountId(), newAccountId()];
  const [stream, otherStream] = [open(one, 'hanging'), open(other, 'other')];
  const resume = hang('hanging');
  principals.scheduleChecks(one);
  const hanging = principals.checkDue();

  principals.scheduleChecks(other);
  await principals.checkDue();
  expect([stream, otherStream].map(({ connection }) => connection.lastFrame)).toEqual([
    null,
    revoked,
  ]);
  resume();
  await hanging;

  expect(stream.connection.lastFrame).toEqual(revoked);
});

test('every secret is read once per interval for all of its streams (Events: authority)', async () => {
  const { principals, open, read, pass } = world();
  for (let count = 0; count < 5; count += 1) open(newAccountId(), 'same');
  await principals.checkDue();
  expect(read).toEqual([]);

  pass(30_000);
  await principals.checkDue();

  expect(read).toEqual(['same']);
});

test('a clock that is set back, or ahead and back, postpones no check (Events: authority) [events-revoked]', async () => {
  for (const byMs of [-dayMs, -40_000, dayMs]) {
    const { principals, open, clock, pass } = world();
    if (byMs > 0) clock.advance(byMs);
    const { connection } = open(newAccountId(), 'one');
    clock.advance(-Math.abs(byMs));

    pass(30_000);
    await principals.checkDue();

    expect(connection.lastFrame).toEqual(revoked);
  }
});

test('while the store is unavailable a stream ends after two intervals, whatever the clock is set to meanwhile (Events: authority)', async () => {
  const { principals, open, clock, store, pass } = world();
  store.isAway = true;
  const { connection } = open(newAccountId(), 'one');
  pass(30_000);
  await principals.checkDue();
  clock.advance(-dayMs);

  for (let interval = 0; interval < 3; interval += 1) {
    expect(connection.lastFrame).toBeNull();
    await principals.checkDue();
    pass(30_000);
  }

  await principals.checkDue();
  expect(connection.lastFrame).toContain('"unavailable"');
});
