import { only } from '@inventory/testkit/only';
import { each } from '../../test/support/stored-journal.ts';
import { newAccount } from '../accounts/account.domain.ts';
import { resolutionKey } from '../accounts/command.domain.ts';
import { type Hold, holdSetOf } from '../accounts/hold-set.domain.ts';
import { chainStart, UnreadableCommit } from '../journal/commit-document.ts';
import type { Journal } from '../journal/journal-store.ts';
import { createHoldWatch, createListOldHolds } from './old-holds.ts';
import { commitDelayMaxMs } from './snapshot-pass.ts';

const now = 1_000_000;
const uuid = (number: number) => `0190aaaa-0000-7000-8000-${String(number).padStart(12, '0')}`;

function holdAt(reservedAtMs: number): Hold {
  return {
    refreshId: uuid(reservedAtMs),
    projectId: 'prj_1',
    credentialId: null,
    productCode: 'platform.inventory.refresh.v1',
    asset: 'credits',
    amount: 125,
    priceVersion: 1,
    reservedAtMs,
  };
}

/**
 * Snapshots of accounts with open holds made at these times, the oldest hold first. The journal has
 * the resolutions of those that were `resolved` since.
 */
function snapshotsOf(times: Record<string, readonly number[]>) {
  const read: string[] = [];
  const resolved = new Set<number>();
  const oldestFirst = Object.entries(times).sort(
    ([, left], [, right]) => Math.min(...left) - Math.min(...right),
  );
  function* snapshots() {
    for (const [accountId, made] of oldestFirst) {
      read.push(accountId);
      const holds = holdSetOf(made.map(holdAt));
      yield { account: { ...newAccount(accountId as 'acc_'), holds }, head: chainStart };
    }
  }
  const findRecorded: Journal['findRecorded'] = async (accountId, keys) => {
    const ended = (times[accountId] ?? []).filter((time) => resolved.has(time)).map(uuid);
    const found = ended.filter((refreshId) => keys.includes(resolutionKey(refreshId)));
    return found.map((refreshId) => ({ refreshId })) as never;
  };
  const journal = { findRecorded };
  const list = createListOldHolds({
    snapshots: only({
      listSnapshotsWithHolds: () => each(snapshots()),
      findPassedThrough: async () => now - 7,
    }),
    journal: only(journal),
    clock: only({ now: () => now }),
  });
  return { list, read, resolved, journal };
}

describe('The list of old holds', () => {
  test('is oldest first over all accounts, and has none younger than requested', async () => {
    const { list } = snapshotsOf({ acc_a: [100, 400, 900_000], acc_b: [300, 200] });

    const { items: holds } = await list({ olderThanMs: 500_000, limit: 10 });

    expect(holds.map((hold) => hold.reservedAtMs)).toEqual([100, 200, 300, 400]);
  });

  test('has none that was resolved since the snapshot, however many those are', async () => {
    const many = Array.from({ length: 350 }, (_, index) => index);
    const { list, resolved } = snapshotsOf({ acc_a: many, acc_b: [500] });
    for (const time of many) if (time !== 17 && time !== 333) resolved.add(time);

    const { items: holds } = await list({ olderThanMs: 0, limit: 10 });

    expect(holds.map((hold) => hold.reservedAtMs)).toEqual([17, 333, 500]);
  });

  test('has the holds of an account whose commits are not readable', async () => {
    const { list, journal } = snapshotsOf({ acc_a: [100], acc_b: [200] });
    const { findRecorded } = journal;
    journal.findRecorded = async (accountId, keys) => {
      if (accountId === 'acc_a') throw new UnreadableCommit(accountId, 'no JSON');
      return findRecorded(accountId, keys);
    };

    const { items: holds } = await list({ olderThanMs: 0, limit: 10 });

    expect(holds.map(({ accountId }) => accountId)).toEqual(['acc_a', 'acc_b']);
  });

  test('is as of a time before which no entry can reach the journal after its pass', async () => {
    const { list } = snapshotsOf({});

    const { asOfMs } = await list({ olderThanMs: 0, limit: 1 });

    expect(asOfMs).toBe(now - 7 - commitDelayMaxMs);
  });

  test('stops reading snapshots when no older hold can come', async () => {
    const { list, read } = snapshotsOf({ acc_a: [100, 150], acc_b: [200], acc_c: [300] });

    const { items: holds } = await list({ olderThanMs: 0, limit: 2 });

    expect(holds.map((hold) => hold.reservedAtMs)).toEqual([100, 150]);
    expect(read).toEqual(['acc_a', 'acc_b']);
  });
});

describe('The oldest hold that a replica reports', () => {
  test('is open in the journal, whatever the replica wrote or read before', async () => {
    const { list, resolved } = snapshotsOf({ acc_a: [42], acc_b: [900] });
    const watch = createHoldWatch(list);
    const reported = [];

    for (const ended of [null, 42, 900]) {
      if (ended !== null) resolved.add(ended);
      await watch.round();
      reported.push(watch.oldestAtMs());
    }

    expect(reported).toEqual([42, 900, null]);
  });

  test('is not known before the first round, nor after one that failed', async () => {
    let isAvailable = true;
    const { list } = snapshotsOf({ acc_a: [42] });
    const watch = createHoldWatch((options) =>
      isAvailable ? list(options) : Promise.reject(new Error('no store')),
    );

    const before = watch.oldestAtMs();
    await watch.round();
    const known = watch.oldestAtMs();
    isAvailable = false;
    await expect(watch.round()).rejects.toThrow('no store');

    expect([before, known, watch.oldestAtMs()]).toEqual([undefined, 42, undefined]);
  });
});
