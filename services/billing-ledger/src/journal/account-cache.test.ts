import { accounts } from '../../test/support/program.ts';
import { newAccount } from '../accounts/account.domain.ts';
import { type CachedAccount, createAccountCache } from './account-cache.ts';
import { chainStart } from './commit-document.ts';

const cachedOf = (id: CachedAccount['account']['accountId']): CachedAccount => ({
  account: newAccount(id),
  head: chainStart,
  snapshotSeq: 0,
});
const [first, second] = accounts.map(cachedOf) as [CachedAccount, CachedAccount];
const third = cachedOf('acc_third');

describe('The accounts kept in memory', () => {
  test('are never more than allowed: the one that was used longest ago is evicted', () => {
    const cache = createAccountCache(2);
    cache.set(first);
    cache.set(second);
    cache.get(first.account.accountId);

    cache.set(third);

    expect(cache.size).toBe(2);
    expect(cache.get(second.account.accountId)).toBeUndefined();
    expect(cache.get(first.account.accountId)).toBe(first);
  });

  test('are all dropped when partitions move, and an earlier read is recognised by its generation', () => {
    const cache = createAccountCache(2);
    cache.set(first);
    const before = cache.generation;

    cache.dropAll();

    expect(cache.get(first.account.accountId)).toBeUndefined();
    expect(cache.generation).not.toBe(before);
  });
});
