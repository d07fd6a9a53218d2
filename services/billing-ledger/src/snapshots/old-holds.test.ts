import { each } from '../../test/support/stored-journal.ts';
import { newAccount } from '../accounts/account.domain.ts';
import { type Hold, holdSetOf } from '../accounts/hold-set.domain.ts';
import { chainStart } from '../journal/commit-document.ts';
import { createListOldHolds } from './old-holds.ts';
import { commitDelayMaxMs } from './snapshot-pass.ts';

const now = 1_000_000;
const uuid = (number: number) => `0190aaaa-0000-7000-8000-${String(number).padStart(12, '0')}`;

function holdAt(reservedAt: number): Hold {
  return {
    refreshId: uuid(reservedAt),
    projectId: 'prj_1',
    productCode: 'platform.inventory.refresh.v1',
    asset: 'credits',
    amount: 125,
    priceVersion: 1,
    reservedAt,
  };
}

/** Snapshots of accounts with open holds made at these times, the oldest hold first. */
function snapshotsOf(times: Record<string, readonly number[]>) {
  const read: string[] = [];
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
  const list = createListOldHolds({
    snapshots: {
      listSnapshotsWithHolds: () => each(snapshots()),
      findPassedThrough: async () => now - 7,
    },
    clock: { now: () => now },
  });
  return { list, read };
}

describe('The list of old holds', () => {
  test('is oldest first over all accounts, and has none younger than requested', async () => {
    const { list } = snapshotsOf({ acc_a: [100, 400, 900_000], acc_b: [300, 200] });

    const { holds } = await list({ olderThanMs: 500_000, limit: 10 });

    expect(holds.map(({ hold }) => hold.reservedAt)).toEqual([100, 200, 300, 400]);
  });

  test('is as of a time before which no entry can reach the journal after its pass', async () => {
    const { list } = snapshotsOf({});

    const { asOfMs } = await list({ olderThanMs: 0, limit: 1 });

    expect(asOfMs).toBe(now - 7 - commitDelayMaxMs);
  });

  test('stops reading snapshots when no older hold can come', async () => {
    const { list, read } = snapshotsOf({ acc_a: [100, 150], acc_b: [200], acc_c: [300] });

    const { holds } = await list({ olderThanMs: 0, limit: 2 });

    expect(holds.map(({ hold }) => hold.reservedAt)).toEqual([100, 150]);
    expect(read).toEqual(['acc_a', 'acc_b']);
  });
});
