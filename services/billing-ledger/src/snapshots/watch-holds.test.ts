import { newAccount } from '../accounts/account.domain.ts';
import { type Hold, holdSetOf } from '../accounts/hold-set.domain.ts';
import { chainStart } from '../journal/commit-document.ts';
import { watchHolds } from './old-holds.ts';

function holdAt(reservedAt: number): Hold {
  return {
    refreshId: `0190aaaa-0000-7000-8000-${String(reservedAt).padStart(12, '0')}`,
    projectId: 'prj_1',
    productCode: 'platform.inventory.refresh.v1',
    asset: 'credits',
    amount: 125,
    priceVersion: 1,
    reservedAt,
  };
}

/** Cached accounts with holds made at these times, and old holds that only the journal has. */
function watchOf(inMemory: readonly (readonly number[])[], old: readonly number[] = []) {
  const asked: object[] = [];
  const watch = watchHolds({
    cache: {
      all: () =>
        inMemory.map((times, index) => ({
          account: { ...newAccount(`acc_${index}`), holds: holdSetOf(times.map(holdAt)) },
          head: chainStart,
          snapshotSeq: 0,
        })),
    },
    listOldHolds: async (options) => {
      asked.push(options);
      const holds = old.map((time) => ({ accountId: 'acc_old' as const, hold: holdAt(time) }));
      return { asOfMs: 0, holds };
    },
    oldMs: 600_000,
  });
  return { watch, asked };
}

test('open holds of all cached accounts are counted, and the oldest of any is reported', () => {
  expect(watchOf([[], [900, 300], [500]]).watch.holds()).toEqual({ open: 3, oldestAtMs: 300 });
  expect(watchOf([[]]).watch.holds()).toEqual({ open: 0, oldestAtMs: null });
});

test('an old hold of an account that is not cached is reported until it is resolved', async () => {
  const old = [42];
  const { watch, asked } = watchOf([[900]], old);

  await watch.round();
  expect(watch.holds()).toEqual({ open: 1, oldestAtMs: 42 });
  expect(asked).toEqual([{ olderThanMs: 600_000, limit: 1 }]);

  old.pop();
  await watch.round();
  expect(watch.holds().oldestAtMs).toBe(900);
});
