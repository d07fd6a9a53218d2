import { only } from '@inventory/testkit/only';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { loadingFrom } from '../../test/support/loading.ts';
import { accounts, decodeProgram, programs } from '../../test/support/program.ts';
import { type StoredJournal, storeProgram } from '../../test/support/stored-journal.ts';
import { BrokenJournal, type StoredCommit } from './commit-document.ts';
import type { Journal } from './journal-store.ts';
import { createReadCurrentAccount } from './read-current-account.ts';

const dayMs = 86_400_000;
const notFolded = () => Promise.reject(new Error('the account was folded'));
const loadOf = ({ journal }: StoredJournal) => loadingFrom(journal);
const clockOf = (stored: StoredJournal, days: number) => {
  const latest = Math.max(...stored.entries.map(({ entry }) => entry.atMs));
  return { now: () => latest + days * dayMs };
};

/** As the newest commit of an account with many caps: it carries balances and subscription alone. */
function withoutLimits({ journal }: StoredJournal): Journal {
  const bare = (commit: StoredCommit | null) => commit && { ...commit, limits: null };
  return only({
    findNewestCommit: async (accountId) => bare(await journal.findNewestCommit(accountId)),
  });
}

describe('Funds, caps and terms of an account', () => {
  test('are read from its newest commit alone, and equal its fold, in any later month', async () => {
    const anyTime = fc.asyncProperty(programs, fc.nat({ max: 70 }), async (program, days) => {
      const stored = await storeProgram(program);
      const { journal } = stored;
      const clock = clockOf(stored, days);
      const read = createReadCurrentAccount({
        journal,
        loadAccount: notFolded,
        clock: only(clock),
      });
      const folded = createReadCurrentAccount({
        journal: withoutLimits(stored),
        loadAccount: loadOf(stored),
        clock: only(clock),
      });
      for (const accountId of accounts) {
        expect(await read(accountId)).toEqual(await folded(accountId));
      }
    });

    await fc.assert(anyTime, { numRuns: propertyRuns(150) });
  });

  test('are refused where the newest commit was changed', async () => {
    const stored = await storeProgram(decodeProgram([]));
    const findNewestCommit: Journal['findNewestCommit'] = async (accountId) => {
      const newest = await stored.journal.findNewestCommit(accountId);
      return newest && { ...newest, isIntact: false };
    };
    const clock = clockOf(stored, 0);
    const read = createReadCurrentAccount({
      journal: only({ findNewestCommit }),
      loadAccount: notFolded,
      clock: only(clock),
    });

    await expect(read(accounts[0] ?? 'acc_')).rejects.toThrow(BrokenJournal);
  });

  test('of an account without entries are those of a prepaid account with nothing', async () => {
    const journal = { findNewestCommit: async () => null };
    const clock = { now: () => Date.UTC(2026, 10, 2) };
    const read = createReadCurrentAccount({
      journal: only(journal),
      loadAccount: notFolded,
      clock: only(clock),
    });

    expect(await read('acc_0190aaaa-0000-7000-8000-000000000000')).toMatchObject({
      asOfSeq: 0,
      funding: { mode: 'credits' },
      caps: [],
      alertThreshold: null,
    });
  });
});
