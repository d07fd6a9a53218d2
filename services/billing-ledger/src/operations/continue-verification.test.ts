import type { AccountId } from '@inventory/contracts/ids';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { connectUsage, emptyUsage, type UsageDocuments } from '../../test/support/fake-usage.ts';
import { accounts, type Program, programs } from '../../test/support/program.ts';
import { createStore, type Store } from '../../test/support/simulation/fake-journal.ts';
import { fixedPrices, reliable, storeProgram } from '../../test/support/stored-journal.ts';
import { atOnce, verifyStored } from '../../test/support/verify-stored.ts';
import { type DayUsage, dayOf } from '../domain/usage.ts';
import type { CheckpointStore } from '../storage/checkpoint-store.ts';
import { readCommit } from '../storage/commit-document.ts';
import type { Snapshot } from '../storage/snapshot-document.ts';
import { continueVerification } from './continue-verification.ts';
import { createRollUpUsage } from './roll-up-usage.ts';
import type { VerifyJournalDeps } from './verify-journal.ts';

interface World {
  readonly store: Store;
  readonly documents: UsageDocuments;
  readonly checkpoints: Map<AccountId, Snapshot | 'invalid'>;
}

/** The first so many commits of each account, with their use rolled up. */
async function worldOf(program: Program, commits = 1e9, commitMax = 2): Promise<World> {
  const stored = await storeProgram(program, commitMax);
  const store = createStore({ uniqueIds: true, uniqueKeys: true });
  for (const [accountId, all] of stored.store.commits) {
    store.commits.set(accountId, all.slice(0, commits));
  }
  const world = { store, documents: emptyUsage(), checkpoints: new Map() };
  await rollUp(world);
  return world;
}

async function grow(world: World, program: Program, commitMax = 2): Promise<void> {
  const stored = await storeProgram(program, commitMax);
  for (const [accountId, all] of stored.store.commits) world.store.commits.set(accountId, all);
  await rollUp(world);
}

async function rollUp({ store, documents }: World): Promise<void> {
  const usage = connectUsage(documents, atOnce);
  const rollUpUsage = createRollUpUsage({ journal: reliable(store), usage });
  for (const accountId of accounts) await rollUpUsage(accountId);
}

function checkpointsOf({ checkpoints }: World): CheckpointStore {
  return {
    findCheckpoint: async (accountId) => checkpoints.get(accountId) ?? null,
    saveCheckpoint: async (checkpoint) => {
      checkpoints.set(checkpoint.account.accountId, checkpoint);
    },
  };
}

const verifyFull = (world: World) =>
  verifyStored({
    journal: reliable(world.store),
    usage: connectUsage(world.documents, atOnce),
    checkpoints: checkpointsOf(world),
  });

function verifyOn(world: World, problemAccounts: readonly string[] = [], sinceMs = 0) {
  const deps = {
    journal: reliable(world.store),
    snapshots: { findStored: async () => null },
    usage: connectUsage(world.documents, atOnce),
    checkpoints: checkpointsOf(world),
    prices: fixedPrices,
    now: () => 0,
  };
  const signal = new AbortController().signal;
  return continueVerification(deps, { sinceMs, problemAccounts, signal, onProgress: () => {} });
}

/** Flips one bit of a stored commit. */
function change({ store }: World, accountId: AccountId, index: number): void {
  const commits = store.commits.get(accountId) ?? [];
  const bytes = Buffer.from(commits[index]?.bytes ?? Buffer.alloc(0));
  const at = bytes.indexOf('simulated') + 1;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  store.commits.set(accountId, commits.with(index, { bytes, commit: readCommit(bytes) }));
}

/** A journal of several days with a checkpoint and commits on both sides of it. */
async function worldWithCheckpoint(): Promise<{
  readonly world: World;
  readonly accountId: AccountId;
  /** Index of the commit of the checkpoint. */
  readonly at: number;
}> {
  for (const program of fc.sample(programs, { numRuns: 300, seed: 11 })) {
    const world = await worldOf(program);
    await verifyFull(world);
    for (const [accountId, checkpoint] of world.checkpoints) {
      const commits = world.store.commits.get(accountId) ?? [];
      const headId = checkpoint === 'invalid' ? null : checkpoint.head.commitId;
      const at = commits.findIndex(({ commit }) => commit.id === headId);
      if (at > 0 && at < commits.length - 1) return { world, accountId, at };
    }
  }
  throw new Error('no journal has a checkpoint in the middle');
}

describe('A verification that continues', () => {
  test('starts at the end of a complete day and misses nothing that was added since', async () => {
    const anyGrowth = fc.asyncProperty(
      programs,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 3 }),
      async (program, commits, commitMax) => {
        const world = await worldOf(program, commits, commitMax);
        expect((await verifyFull(world)).problems).toEqual([]);
        await grow(world, program, commitMax);
        const verified = new Map(world.checkpoints);

        const { entries, problems } = await verifyOn(world);

        expect(problems).toEqual([]);
        const behind = accounts.flatMap((accountId) => {
          const checkpoint = verified.get(accountId);
          const start = checkpoint && checkpoint !== 'invalid' ? checkpoint.account.lastSeq : 0;
          const all = world.store.commits.get(accountId) ?? [];
          return all.flatMap(({ commit }) => commit.entries).filter(({ seq }) => seq > start);
        });
        expect(entries).toBe(behind.length);
      },
    );

    await fc.assert(anyGrowth, { numRuns: propertyRuns(200) });
  });

  test('has a checkpoint only where the next commit is of a later day', async () => {
    const { world, accountId, at } = await worldWithCheckpoint();
    const commits = world.store.commits.get(accountId) ?? [];

    const [before, after] = [commits[at]?.commit, commits[at + 1]?.commit];

    expect(dayOf(after?.entries[0]?.at ?? 0)).toBeGreaterThan(dayOf(before?.at ?? 0));
  });

  test('finds a change of any commit behind the checkpoint, and of the checkpoint itself', async () => {
    const { world, accountId, at } = await worldWithCheckpoint();
    const count = world.store.commits.get(accountId)?.length ?? 0;
    for (let index = at; index < count; index += 1) {
      const changed = { ...world, store: structuredStore(world.store) };
      change(changed, accountId, index);

      const { problemAccounts } = await verifyOn(changed);

      expect(problemAccounts).toEqual([accountId]);
    }
  });

  test('leaves a change before the checkpoint to a full one', async () => {
    const { world, accountId } = await worldWithCheckpoint();
    change(world, accountId, 0);

    expect((await verifyOn(world)).problems).toEqual([]);
    expect((await verifyFull(world)).problemAccounts).toEqual([accountId]);
  });

  test('reports a checkpoint that is not signed, and verifies that account from its start', async () => {
    const { world, accountId } = await worldWithCheckpoint();
    const all = world.store.commits.get(accountId) ?? [];
    world.checkpoints.set(accountId, 'invalid');
    change(world, accountId, 0);

    const { problems } = await verifyOn(world);

    expect(problems).toContainEqual({
      accountId,
      seq: null,
      problem: 'checkpoint signature invalid',
    });
    expect(problems).toContainEqual({ accountId, seq: 1, problem: 'commit hash mismatch' });
    expect(all.length).toBeGreaterThan(1);
  });

  test('makes no checkpoint of an account with problems, and verifies it again each time', async () => {
    const { world, accountId, at } = await worldWithCheckpoint();
    world.checkpoints.clear();
    change(world, accountId, at);

    const first = await verifyFull(world);
    const again = await verifyOn(world, first.problemAccounts, Number.MAX_SAFE_INTEGER);

    expect(world.checkpoints.has(accountId)).toBe(false);
    expect(again).toMatchObject({ accounts: 1, problemAccounts: [accountId] });
  });
});

function structuredStore(store: Store): Store {
  return { ...store, commits: new Map(store.commits) };
}

type Forge = (day: DayUsage) => DayUsage | null;
const product = (day: DayUsage, amounts: object) => ({
  ...day,
  products: day.products.map((one) => ({ ...one, ...amounts })),
});

describe('Verification of usage roll-ups [ledger-verify]', () => {
  const forgeries: readonly [string, Forge][] = [
    ['a day has another count', (day) => product(day, { count: 77 })],
    ['a day charges another amount', (day) => product(day, { charged: 77 })],
    ['a day has more reversals', (day) => product(day, { reversed: 77 })],
    ['a day misses its products', (day) => ({ ...day, products: [] })],
    [
      'a day counts entries that it does not',
      (day) => ({ ...day, throughSeq: day.throughSeq - 1 }),
    ],
    ['a day is missing', () => null],
    ['a day is of another day', (day) => ({ ...day, day: day.day - 3 })],
    ['a day is of another Project', (day) => ({ ...day, projectId: 'prj_other' })],
  ];

  test.each(forgeries)('finds that %s', async (_what, forge) => {
    const { world, accountId } = await worldWithUse();
    const days = world.documents.days.get(accountId) ?? new Map<string, DayUsage>();
    const [key = '', day] = [...days].at(-1) ?? [];
    days.delete(key);
    const forged = day ? forge(day) : null;
    if (forged) days.set(`${forged.day} ${forged.projectId}`, forged);

    const { problems } = await verifyFull(world);

    expect(problems.map(({ problem }) => problem)).toEqual(
      expect.arrayContaining([expect.stringContaining('usage roll-up')]),
    );
    expect(new Set(problems.map((one) => one.accountId))).toEqual(new Set([accountId]));
  });

  test('finds nothing while they are behind the journal', async () => {
    const anyLag = fc.asyncProperty(
      programs,
      fc.integer({ min: 0, max: 12 }),
      async (program, commits) => {
        const world = await worldOf(program, commits);
        const stored = await storeProgram(program, 2);
        for (const [accountId, all] of stored.store.commits)
          world.store.commits.set(accountId, all);

        expect((await verifyFull(world)).problems).toEqual([]);
      },
    );

    await fc.assert(anyLag, { numRuns: propertyRuns(100) });
  });

  test('finds nothing where they are written between its reads', async () => {
    const { world } = await worldWithUse();
    world.documents.days.clear();
    world.documents.positions.clear();
    const stored = connectUsage(world.documents, atOnce);
    let reads = 0;
    const beforeRead = async () => {
      reads += 1;
      if (reads === 2) await rollUp(world);
    };
    const usage: VerifyJournalDeps['usage'] = {
      async listPositions(after, limit) {
        await beforeRead();
        return stored.listPositions(after, limit);
      },
      async *scanDays(range) {
        await beforeRead();
        yield* stored.scanDays(range);
      },
    };

    const { problems } = await verifyStored({ journal: reliable(world.store), usage });

    expect(problems).toEqual([]);
    expect(world.documents.positions.size).toBeGreaterThan(0);
  });
});

async function worldWithUse(): Promise<{ readonly world: World; readonly accountId: AccountId }> {
  for (const program of fc.sample(programs, { numRuns: 300, seed: 12 })) {
    const world = await worldOf(program);
    for (const [accountId, days] of world.documents.days) {
      if (days.size > 1) return { world, accountId };
    }
  }
  throw new Error('no journal has two days of use');
}
