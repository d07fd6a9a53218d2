import { only } from '@inventory/testkit/only';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { loadingFrom } from '../../test/support/loading.ts';
import { accounts, programs } from '../../test/support/program.ts';
import { type StoredJournal, storeProgram } from '../../test/support/stored-journal.ts';
import { applyEntry, newAccount } from '../accounts/account.domain.ts';
import { listHolds, withoutHold } from '../accounts/hold-set.domain.ts';
import { createBringUpToDate } from '../snapshots/rebuild-snapshots.ts';
import type { Snapshot } from '../snapshots/snapshot-document.ts';
import { BrokenJournal } from './commit-document.ts';
import { createLoadAccount, createLoadPart, SnapshotOutdated } from './load-account.ts';

const accountId = accounts[0] ?? 'acc_';

function loadWith({ journal }: Pick<StoredJournal, 'journal'>, snapshot: Snapshot | null) {
  return loadingFrom(journal, async () => snapshot)(accountId);
}

function folded({ entries }: StoredJournal) {
  return entries
    .filter((one) => one.accountId === accountId)
    .map(({ entry }) => entry)
    .reduce(applyEntry, newAccount(accountId));
}

const described = (account: Snapshot['account']) =>
  JSON.stringify([{ ...account, holds: null }, listHolds(account.holds)]);

const ownSnapshots = ({ snapshots }: StoredJournal) =>
  snapshots.filter(({ account }) => account.accountId === accountId);

/** Ways in which a snapshot can be anything but what the journal says. */
const spoilers: readonly ((snapshot: Snapshot) => Snapshot)[] = [
  (snapshot) => ({ ...snapshot, head: { ...snapshot.head, hash: 'f'.repeat(64) } }),
  (snapshot) => ({
    ...snapshot,
    head: { ...snapshot.head, commitId: `${accountId}/999999999999` },
  }),
  ({ head, account }) => ({ head, account: { ...account, lastSeq: account.lastSeq + 1 } }),
  ({ head, account }) => {
    const [hold] = listHolds(account.holds);
    const { lastSeq } = account;
    if (!hold) return { head, account: { ...account, lastSeq: lastSeq + 1 } };
    return { head, account: { ...account, holds: withoutHold(account.holds, hold.refreshId) } };
  },
  ({ head, account }) => {
    const { credits, units } = account.balances;
    const richer = { ...credits, available: credits.available + 1 };
    return { head, account: { ...account, balances: { credits: richer, units } } };
  },
];

describe('An account that is not in memory', () => {
  test('is what its journal adds up to, with and without any of its snapshots', async () => {
    const anyStart = fc.asyncProperty(programs, fc.nat(), async (program, which) => {
      const stored = await storeProgram(program);
      const snapshots = ownSnapshots(stored);
      const snapshot = snapshots[which % (snapshots.length + 1)] ?? null;
      const { account } = await loadWith(stored, snapshot);
      return described(account) === described(folded(stored));
    });

    await fc.assert(anyStart, { numRuns: propertyRuns(200) });
  });

  test('is never taken from a snapshot that does not lie on the journal', async () => {
    const anySpoiler = fc.nat({ max: spoilers.length - 1 });
    const anyStart = fc.asyncProperty(programs, anySpoiler, async (program, which) => {
      const stored = await storeProgram(program);
      const newest = ownSnapshots(stored).at(-1);
      const spoil = spoilers[which];
      if (!newest || !spoil) return true;
      const { account, snapshotSeq } = await loadWith(stored, spoil(newest));
      return snapshotSeq === 0 && described(account) === described(folded(stored));
    });

    await fc.assert(anyStart, { numRuns: propertyRuns(200) });
  });

  test('has its newest entries, so that their commands need no lookup', async () => {
    const [program] = fc.sample(programs, { numRuns: 1, seed: 9 });
    const stored = await storeProgram(program ?? []);

    const { tail } = await loadWith(stored, null);

    const own = stored.entries.filter((one) => one.accountId === accountId);
    expect(tail).toEqual(own.map(({ entry }) => entry));
  });

  test('is refused when a commit was changed, is missing or does not add up', async () => {
    const [program] = fc.sample(programs, { numRuns: 1, seed: 9 });
    const stored = await storeProgram(program ?? [], 1);
    const readCommits = stored.journal.readCommits;
    const tampered = (
      change: (commits: Awaited<ReturnType<typeof readCommits>>) => typeof commits,
    ) => ({
      journal: {
        ...stored.journal,
        readCommits: async (...args: Parameters<typeof readCommits>) =>
          change(await readCommits(...args)),
      },
    });

    await expect(
      loadWith(
        tampered((all) => all.map((one) => ({ ...one, isIntact: false }))),
        null,
      ),
    ).rejects.toThrow(BrokenJournal);
    await expect(
      loadWith(
        tampered((all) => all.slice(1)),
        null,
      ),
    ).rejects.toThrow(BrokenJournal);
    await expect(
      loadWith(
        tampered((all) => all.map((one) => ({ ...one, entries: one.entries.concat(one.entries) }))),
        null,
      ),
    ).rejects.toThrow(BrokenJournal);
  });
});

/** Remembers the newest snapshot; after `savesMax` of them, saving fails. */
function snapshotsOf(savesMax: number) {
  let saved: Snapshot | null = null;
  let saves = 0;
  return {
    findSnapshot: async () => saved,
    saveSnapshot: async ({ account, head }: Snapshot) => {
      saves += 1;
      if (saves > savesMax) throw new Error('the store is unavailable');
      saved = { account, head };
    },
  };
}

describe('An account whose snapshot is outdated', () => {
  const commitMax = 3;
  const signal = new AbortController().signal;
  const partsOf = ({ journal }: StoredJournal, savesMax: number, entriesMax: number) => {
    const snapshots = snapshotsOf(savesMax);
    let fromFirst = 0;
    const counted = {
      readCommits: (...[id, from, limit]: Parameters<typeof journal.readCommits>) => {
        if (from === null) fromFirst += 1;
        return journal.readCommits(id, from, limit);
      },
    };
    const loadPart = createLoadPart({
      journal: only(counted),
      snapshots: only(snapshots),
      entriesMax,
    });
    const outdated: string[] = [];
    const load = createLoadAccount(loadPart, (id) => outdated.push(id));
    const bringUpToDate = createBringUpToDate({ loadPart, snapshots: only(snapshots) });
    return { load, bringUpToDate, outdated, fromFirst: () => fromFirst };
  };

  test('is not folded for a command but in parts, from part to part over crashes, never twice from the first entry', async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 4 }));
    const anyParts = fc.asyncProperty(programs, sizes, async (program, [entriesMax, savesMax]) => {
      const stored = await storeProgram(program, commitMax);
      const whole = folded(stored);
      const { load, bringUpToDate, outdated, fromFirst } = partsOf(stored, savesMax, entriesMax);
      if (whole.lastSeq < entriesMax + commitMax) return;

      await expect(load(accountId)).rejects.toThrow(SnapshotOutdated);
      expect(outdated).toEqual([accountId]);
      const parts = whole.lastSeq / entriesMax;
      if (parts > savesMax + 1) {
        await bringUpToDate(accountId, signal).catch(() => {});
        const reads = fromFirst();
        await bringUpToDate(accountId, signal).catch(() => {});
        expect(fromFirst()).toBe(reads);
      }
      const healed = partsOf(stored, Number.POSITIVE_INFINITY, entriesMax);
      const { account } = await healed.bringUpToDate(accountId, signal);
      expect(described(account)).toBe(described(whole));
      expect(described((await healed.load(accountId)).account)).toBe(described(whole));
    });

    await fc.assert(anyParts, { numRuns: propertyRuns(100) });
  });
});
