import { only } from '@inventory/testkit/only';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { loadingFrom } from '../../test/support/loading.ts';
import {
  accounts,
  commandOf,
  decodeProgram,
  type Program,
  programs,
} from '../../test/support/program.ts';
import type { Store } from '../../test/support/simulation/fake-journal.ts';
import { fixedPrices, reliable, storeProgram } from '../../test/support/stored-journal.ts';
import type { Command } from '../accounts/command.domain.ts';
import { createAccountCache } from './account-cache.ts';
import { type CommitCommands, createCommitCommands } from './commit-commands.ts';
import type { Journal } from './journal-store.ts';
import { createRecentEntries } from './recent-entries.ts';

const [accountId = 'acc_', neighbour = 'acc_'] = accounts;
const grantOf = (owner: typeof accountId, number: number): Command =>
  commandOf('grant', {
    commandId: `grant:later-${number}`,
    accountId: owner,
    requestId: `req_later-${number}`,
    asset: 'credits',
    amount: 1,
    reason: 'later',
  });

function writerOn(journal: Journal, entriesMax: number, recentKeysMax = 100) {
  const quarantined = new Set<string>();
  const commit = createCommitCommands({
    journal,
    quarantine: only({
      has: async (account) => quarantined.has(account),
      add: async (account) => void quarantined.add(account),
    }),
    rebuilds: only({ has: () => false }),
    loadAccount: loadingFrom(journal),
    cache: createAccountCache(10),
    recent: createRecentEntries(recentKeysMax),
    prices: fixedPrices,
    clock: only({ now: () => Date.UTC(2027, 0) }),
    limits: { entriesMax, bytesMax: 2 ** 20 },
    onCommitted: () => {},
  });
  return { commit, quarantined };
}

/** Commits a batch; the accounts of its results, round by round. */
async function roundsOf(commit: CommitCommands, commands: readonly Command[]) {
  const rounds: string[][] = [];
  const items = commands.map((command) => ({ command }));
  const { quarantined } = await commit(items, async (journaled) => {
    rounds.push(journaled.map(({ item }) => item.command.body.accountId));
  });
  return { rounds, rejected: quarantined.map(({ command }) => command.body.accountId) };
}

const backlogs = fc.record({
  program: programs,
  hot: fc.integer({ min: 1, max: 60 }),
  entriesMax: fc.integer({ min: 1, max: 12 }),
  neighbourAt: fc.nat({ max: 60 }),
});
type Backlog = typeof backlogs extends fc.Arbitrary<infer Value> ? Value : never;

/** The hot account's backlog with one command of its neighbour somewhere in it. */
function batchOf({ hot, neighbourAt }: Backlog): Command[] {
  const commands = Array.from({ length: hot }, (_, number) => grantOf(accountId, number));
  commands.splice(neighbourAt % (hot + 1), 0, grantOf(neighbour, 0));
  return commands;
}

const isFair = (wrap: (commit: CommitCommands) => CommitCommands) =>
  fc.asyncProperty(backlogs, async (backlog) => {
    const stored = await storeProgram(backlog.program);
    const { commit } = writerOn(reliable(stored.store), backlog.entriesMax);
    const { rounds } = await roundsOf(wrap(commit), batchOf(backlog));
    const ofHot = (round: readonly string[]) => round.filter((owner) => owner === accountId).length;
    return (
      rounds[0]?.includes(neighbour) === true &&
      rounds.every((round) => ofHot(round) <= backlog.entriesMax) &&
      rounds.flat().length === backlog.hot + 1
    );
  });

/** Planted fault: a batch is committed account by account. */
function oneAfterTheOther(commit: CommitCommands): CommitCommands {
  return async (items, publish) => {
    for (const owner of accounts) {
      const own = items.filter(({ command }) => command.body.accountId === owner);
      if (own.length > 0) await commit(own, publish);
    }
    return { quarantined: [], outdated: [] };
  };
}

/** A commit of the account is changed in the store. */
function breakAccount({ commits }: Store, which: number): void {
  const own = commits.get(accountId) ?? [];
  const at = which % own.length;
  commits.set(
    accountId,
    own.map((one, index) =>
      index === at ? { ...one, commit: { ...one.commit, isIntact: false } } : one,
    ),
  );
}

/** Planted fault: whatever is stored is believed. */
function believing(journal: Journal): Journal {
  return {
    ...journal,
    readCommits: async (...args) =>
      (await journal.readCommits(...args)).map((commit) => ({ ...commit, isIntact: true })),
  };
}

const isolatesBroken = (wrap: (journal: Journal) => Journal) =>
  fc.asyncProperty(backlogs, fc.nat(), async (backlog, which) => {
    const { store } = await storeProgram(backlog.program as Program);
    breakAccount(store, which);
    const { commit, quarantined } = writerOn(wrap(reliable(store)), backlog.entriesMax);
    const { rounds, rejected } = await roundsOf(commit, batchOf(backlog));
    return (
      rejected.length === backlog.hot &&
      rejected.every((owner) => owner === accountId) &&
      rounds.flat().join() === neighbour &&
      [...quarantined].join() === accountId
    );
  });

describe('The commands of a partition', () => {
  test('are committed in rounds: the backlog of one account delays its neighbour by no round', async () => {
    await fc.assert(
      isFair((commit) => commit),
      { numRuns: propertyRuns(60) },
    );
  });

  test('planted fault: account by account, a neighbour waits for a whole backlog', async () => {
    const { failed } = await fc.check(isFair(oneAfterTheOther), { numRuns: 300, seed: 6 });

    expect(failed).toBe(true);
  });

  test('of a broken account are all rejected, and those of its neighbour are committed', async () => {
    await fc.assert(
      isolatesBroken((journal) => journal),
      { numRuns: propertyRuns(60) },
    );
  });

  test('of an account whose recorded entry was changed meanwhile are rejected, and those of its neighbour are committed', async () => {
    const opening = decodeProgram([]);
    const { store } = await storeProgram(opening);
    const { commit, quarantined } = writerOn(reliable(store), 10, 1);
    const recorded = opening[0]?.command ?? grantOf(accountId, 0);
    await roundsOf(commit, [grantOf(accountId, 1)]);
    breakAccount(store, 0);

    const { rounds, rejected } = await roundsOf(commit, [recorded, grantOf(neighbour, 2)]);

    expect(rejected).toEqual([accountId]);
    expect(rounds.flat()).toEqual([neighbour]);
    expect([...quarantined]).toEqual([accountId]);
  });

  test('planted fault: a changed commit that is believed is decided on', async () => {
    const { failed } = await fc.check(isolatesBroken(believing), { numRuns: 300, seed: 6 });

    expect(failed).toBe(true);
  });
});
