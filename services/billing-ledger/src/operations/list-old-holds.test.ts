import { createLogger } from '@inventory/runtime/logger';
import { each } from '../../test/support/stored-journal.ts';
import { newAccount } from '../domain/account.ts';
import { type Hold, holdSetOf } from '../domain/hold-set.ts';
import { chainStart } from '../storage/commit-document.ts';
import { createListOldHolds } from './list-old-holds.ts';
import { BrokenJournal, type LoadAccount } from './load-account.ts';

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

/** Accounts with open holds made at these times, and snapshots that say when the oldest was. */
function ledgerOf(times: Record<string, readonly number[]>, broken: readonly string[] = []) {
  const loaded: string[] = [];
  const loadAccount: LoadAccount = async (accountId) => {
    loaded.push(accountId);
    if (broken.includes(accountId)) throw new BrokenJournal('changed');
    const holds = holdSetOf((times[accountId] ?? []).map(holdAt));
    const account = { ...newAccount(accountId), holds };
    return { account, head: chainStart, snapshotSeq: 0, tail: [] };
  };
  const candidates = Object.entries(times)
    .map(([accountId, made]) => ({
      accountId: accountId as 'acc_',
      oldestHoldAt: Math.min(...made),
    }))
    .sort((left, right) => left.oldestHoldAt - right.oldestHoldAt);
  const list = createListOldHolds({
    snapshots: { listAccountsWithHolds: () => each(candidates), saveSnapshot: async () => {} },
    pass: { bringUpTo: async () => {} },
    loadAccount,
    clock: { now: () => now },
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  return { list, loaded };
}

describe('The list of old holds', () => {
  test('is oldest first over all accounts, and has none younger than asked for', async () => {
    const { list } = ledgerOf({ acc_a: [100, 400, 900_000], acc_b: [300, 200] });

    const found = await list({ olderThanMs: 500_000, limit: 10 });

    expect(found.map(({ hold }) => hold.reservedAt)).toEqual([100, 200, 300, 400]);
  });

  test('stops reading accounts when no older hold can come', async () => {
    const { list, loaded } = ledgerOf({ acc_a: [100, 150], acc_b: [200], acc_c: [300] });

    const found = await list({ olderThanMs: 0, limit: 2 });

    expect(found.map(({ hold }) => hold.reservedAt)).toEqual([100, 150]);
    expect(loaded).toEqual(['acc_a']);
  });

  test('names the holds of all other accounts when one account cannot be read', async () => {
    const { list } = ledgerOf({ acc_a: [100], acc_b: [200] }, ['acc_a']);

    const found = await list({ olderThanMs: 0, limit: 10 });

    expect(found.map(({ accountId }) => accountId)).toEqual(['acc_b']);
  });
});
