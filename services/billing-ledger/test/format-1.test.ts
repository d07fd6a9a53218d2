import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AccountId } from '@inventory/contracts/ids';
import { z } from 'zod';
import type { Command } from '../src/domain/command.ts';
import { planCommit } from '../src/domain/plan-commit.ts';
import { createPriceBook, firstPriceList } from '../src/domain/price-list.ts';
import { readCommit } from '../src/storage/commit-document.ts';
import { loadingFrom } from './support/loading.ts';
import { secondPriceList } from './support/program.ts';
import { createStore, type Store } from './support/simulation/fake-journal.ts';
import { fixedPricesOf, reliable } from './support/stored-journal.ts';
import { verifyStored } from './support/verify-stored.ts';

/**
 * Journals as they were stored before commits carried standings and before entries could share a
 * time: every kind of entry and refusal is among them. They are never changed.
 */
const file = join(__dirname, 'fixtures/journals-of-format-1.json.gz');
const journals = z
  .array(z.object({ commits: z.array(z.base64()) }))
  .parse(JSON.parse(gunzipSync(readFileSync(file)).toString()));

function storeOf(commits: readonly string[]): Store {
  const store = createStore({ uniqueIds: true, uniqueKeys: true });
  for (const encoded of commits) {
    const bytes = Buffer.from(encoded, 'base64');
    const commit = readCommit(bytes);
    const ofAccount = store.commits.get(commit.accountId) ?? [];
    store.commits.set(commit.accountId, [...ofAccount, { bytes, commit }]);
  }
  return store;
}

/** Those under which the journals were written. */
const prices = createPriceBook([firstPriceList, { ...secondPriceList, version: 2 }]);

const verify = (store: Store) =>
  verifyStored({ journal: reliable(store), prices: fixedPricesOf(prices) });

const grant = (accountId: AccountId): Command => ({
  kind: 'grant',
  commandId: 'grant:later',
  accountId,
  requestId: 'req_later',
  asset: 'credits',
  amount: 1,
  reason: 'later',
});

describe('A journal of commit format 1', () => {
  test.each(journals.map((journal, number) => [number, journal] as const))(
    'is read, verified and continued (journal %i)',
    async (_number, { commits }) => {
      const store = storeOf(commits);
      const journal = reliable(store);
      const before = await verify(store);
      const load = loadingFrom(journal);

      for (const accountId of [...store.commits.keys()] as AccountId[]) {
        const { account, head } = await load(accountId);
        const context = { now: account.lastAt, prices, recorded: () => undefined };
        const limits = { entriesMax: 10, bytesMax: 100_000 };
        const plan = planCommit(account, [grant(accountId)], context, limits);
        await journal.appendCommits([{ ...plan, previous: head }]);
      }

      expect(before.problems).toEqual([]);
      expect(before.entries).toBeGreaterThan(4);
      const after = await verify(store);
      expect(after.problems).toEqual([]);
      expect(after.entries).toBeGreaterThanOrEqual(before.entries + store.commits.size);
    },
  );
});
