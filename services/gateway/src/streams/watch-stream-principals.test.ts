import type { AccountId } from '@inventory/contracts/ids';
import { newAccountId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { EventStream } from './event-streams.ts';
import { createStreamIndex } from './stream-index.ts';
import { watchStreamPrincipals } from './watch-stream-principals.ts';

/** Streams whose secrets no longer exist once they are in `revoked`. */
function world() {
  const clock = createTestClock();
  const index = createStreamIndex<EventStream>();
  const read: string[] = [];
  const ended: EventStream[] = [];
  const visited: AccountId[] = [];
  const principals = watchStreamPrincipals({
    streams: {
      bySecret: index.bySecret,
      secretsOf(accountId) {
        visited.push(accountId);
        return index.secretsOf(accountId);
      },
      revoke(stream) {
        ended.push(stream);
        index.remove(stream);
      },
      close() {},
    },
    async findBySecretDigest(digest) {
      read.push(digest);
      return null;
    },
    clock,
    everyMs: 30_000,
    logger: testLogger,
  });
  return {
    ...{ clock, principals, read, ended, visited },
    open(accountId: AccountId, secretDigest: string): EventStream {
      const stream = {
        ...{ accountId, secretDigest, clientAddress: '127.0.0.1', blocked: false },
        heartbeat() {},
        end() {},
        destroy() {},
      };
      index.add(stream);
      return stream;
    },
  };
}

test('a change of one account reads the Principals of its own streams only (Events: authority)', async () => {
  const { principals, open, read, visited } = world();
  const [one, ...others] = Array.from({ length: 100 }, () => newAccountId());
  for (const [number, accountId] of others.entries()) open(accountId, `other-${number}`);
  for (const digest of ['a', 'b', 'a']) open(one ?? newAccountId(), digest);
  await principals.checkDue();

  principals.scheduleChecks(one ?? newAccountId());
  await principals.checkDue();

  expect(read.sort()).toEqual(['a', 'b']);
  expect(visited).toEqual([one]);
});

test('a stream that opens within ten seconds of a change of its account is checked within a second (Events: authority) [events-revoked]', async () => {
  const { principals, open, ended, clock } = world();
  const account = newAccountId();
  await principals.checkDue();
  principals.scheduleChecks(account);
  await principals.checkDue();

  clock.advance(9_000);
  const late = open(account, 'late');
  clock.advance(1_000);
  await principals.checkDue();

  expect(ended).toEqual([late]);
});

test('every secret is read once per interval for all of its streams (Events: authority)', async () => {
  const { principals, open, read, clock } = world();
  for (let count = 0; count < 5; count += 1) open(newAccountId(), 'same');
  await principals.checkDue();
  expect(read).toEqual([]);

  clock.advance(30_000);
  await principals.checkDue();

  expect(read).toEqual(['same']);
});
