import { createLogger } from '@inventory/runtime/logger';
import { newAccountId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { newAccount } from '../accounts/account.domain.ts';
import { createAccountCache } from '../journal/account-cache.ts';
import { BrokenJournal, chainStart } from '../journal/commit-document.ts';
import { createSnapshotRebuilds } from './rebuild-snapshots.ts';

const accountId = newAccountId();
const loaded = { account: newAccount(accountId), head: chainStart, snapshotSeq: 0, tail: [] };

function rebuildsWith(overrides: Partial<Parameters<typeof createSnapshotRebuilds>[0]>) {
  const cache = createAccountCache(10);
  const quarantined: string[] = [];
  const rebuilds = createSnapshotRebuilds({
    bringUpToDate: async () => loaded,
    cache,
    quarantine: only({ add: async (_account, detail) => void quarantined.push(detail) }),
    runLeased: async (_name, work) => work(new AbortController().signal),
    logger: createLogger({ service: 'test', level: 'silent' }),
    ...overrides,
  });
  rebuilds.add(accountId);
  return { rebuilds, cache, quarantined };
}

test('the commands of an account wait until it is up to date, and then need no further load', async () => {
  const { rebuilds, cache } = rebuildsWith({});

  expect(rebuilds.has(accountId)).toBe(true);
  await rebuilds.run();

  expect([rebuilds.has(accountId), rebuilds.size]).toEqual([false, 0]);
  expect(cache.get(accountId)?.account).toBe(loaded.account);
});

test('an account that moved to another replica meanwhile is not cached', async () => {
  const { rebuilds, cache } = rebuildsWith({
    bringUpToDate: async () => {
      cache.dropAll();
      return loaded;
    },
  });

  await rebuilds.run();

  expect(cache.size).toBe(0);
});

test('it waits while another replica rebuilds the snapshot, and while the store is unavailable', async () => {
  const elsewhere = rebuildsWith({ runLeased: async () => null });
  const unavailable = rebuildsWith({ bringUpToDate: () => Promise.reject(new Error('no store')) });

  await elsewhere.rebuilds.run();
  await expect(unavailable.rebuilds.run()).rejects.toThrow('no store');

  expect([elsewhere, unavailable].map(({ rebuilds }) => rebuilds.has(accountId))).toEqual([
    true,
    true,
  ]);
});

test('an account whose journal does not add up is quarantined instead', async () => {
  const bringUpToDate = () => Promise.reject(new BrokenJournal('a gap'));
  const { rebuilds, quarantined } = rebuildsWith({ bringUpToDate });

  await rebuilds.run();

  expect(rebuilds.has(accountId)).toBe(false);
  expect(quarantined).toEqual(['a gap']);
});
