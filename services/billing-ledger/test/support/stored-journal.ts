import type { AccountId } from '@inventory/contracts/ids';
import { newAccount } from '../../src/accounts/account.domain.ts';
import type { Entry } from '../../src/accounts/entry.domain.ts';
import { chainStart } from '../../src/journal/commit-document.ts';
import type { Journal } from '../../src/journal/journal-store.ts';
import type { PriceBook } from '../../src/prices/price-list.domain.ts';
import type { PriceListCache } from '../../src/prices/price-lists.ts';
import type { Snapshot } from '../../src/snapshots/snapshot-document.ts';
import { accounts, type Program, prices } from './program.ts';
import { productRules, runProgram } from './run-program.ts';
import { connectJournal, createStore, type Store } from './simulation/fake-journal.ts';
import { createChance, createScheduler } from './simulation/scheduler.ts';

export interface StoredJournal {
  readonly store: Store;
  /** Responds at once and never fails. */
  readonly journal: Journal;
  readonly entries: readonly { readonly accountId: AccountId; readonly entry: Entry }[];
  /** The account after each of its commits. */
  readonly snapshots: readonly Snapshot[];
}

/** What a program leaves in the store, with commits of one to `commitMax` entries. */
export async function storeProgram(
  program: Program,
  commitMax = 4,
  rules = productRules,
): Promise<StoredJournal> {
  const { ledger } = runProgram(rules, program);
  const store = createStore({ uniqueIds: true, uniqueKeys: true });
  const journal = reliable(store);
  const snapshots: Snapshot[] = [];
  const all = accounts.flatMap((accountId) =>
    ledger.journal(accountId).map((entry) => ({ accountId, entry })),
  );
  for (const accountId of accounts) {
    let rest = [...ledger.journal(accountId)];
    let account = newAccount(accountId);
    let head = chainStart;
    for (let size = 1; rest.length > 0; size = (size % commitMax) + 1) {
      const entries = rest.slice(0, size);
      rest = rest.slice(size);
      account = entries.reduce(productRules.applyEntry, account);
      const [appended] = await journal.appendCommits([{ account, entries, previous: head }]);
      if (appended?.result !== 'appended') throw new Error('the store refused a commit');
      head = appended.head;
      snapshots.push({ account, head });
    }
  }
  return { store, journal, entries: all, snapshots };
}

/** A connection that neither fails nor waits. */
export function reliable(store: Store): Journal {
  const chance = createChance(0);
  const process = { isAlive: true };
  const scheduler = { ...createScheduler(chance), call: immediate };
  return connectJournal({ store, process, scheduler, chance, faults: { percent: 0 } });
}

async function immediate<Value>(_process: unknown, effect: () => Value): Promise<Value> {
  return effect();
}

export const fixedPricesOf = (book: PriceBook): PriceListCache => ({
  book,
  reload: async () => {},
  reloadIfOld: async () => {},
});
export const fixedPrices = fixedPricesOf(prices);

export async function* each<Value>(values: Iterable<Value>): AsyncIterable<Value> {
  yield* values;
}
