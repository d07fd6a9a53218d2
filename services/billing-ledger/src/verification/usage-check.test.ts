import type { AccountId } from '@inventory/contracts/ids';
import { only } from '@inventory/testkit/only';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { connectUsage, emptyUsage, type UsageDocuments } from '../../test/support/fake-usage.ts';
import { accounts, type Program, programs } from '../../test/support/program.ts';
import { createStore, type Store } from '../../test/support/simulation/fake-journal.ts';
import { reliable, storeProgram } from '../../test/support/stored-journal.ts';
import { atOnce, verifyStored } from '../../test/support/verify-stored.ts';
import { createRollUpUsage } from '../usage/roll-up-usage.ts';
import type { DayUsage } from '../usage/usage.domain.ts';
import type { VerifiedStores } from './verify-journal.ts';

interface World {
  readonly store: Store;
  readonly documents: UsageDocuments;
}

/** The first so many commits of each account, with their use rolled up. */
async function worldOf(program: Program, commits = 1e9): Promise<World> {
  const stored = await storeProgram(program, 2);
  const store = createStore({ uniqueIds: true, uniqueKeys: true });
  for (const [accountId, all] of stored.store.commits) {
    store.commits.set(accountId, all.slice(0, commits));
  }
  const world = { store, documents: emptyUsage() };
  await rollUp(world);
  return world;
}

async function rollUp({ store, documents }: World): Promise<void> {
  const usage = connectUsage(documents, atOnce);
  const rollUpUsage = createRollUpUsage({ journal: reliable(store), usage });
  for (const accountId of accounts) await rollUpUsage(accountId);
}

const verifyWorld = (world: World) =>
  verifyStored({
    journal: reliable(world.store),
    usage: connectUsage(world.documents, atOnce),
  });

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

    const { problems } = await verifyWorld(world);

    expect(problems.map(({ problem }) => problem)).toEqual(
      expect.arrayContaining([expect.stringContaining('usage roll-up')]),
    );
    expect(new Set(problems.map((one) => one.accountId))).toEqual(new Set([accountId]));
  });

  type Cut = (world: World, accountId: AccountId) => void;
  const cuts: readonly [string, Cut][] = [
    ['at its end', dropNewest],
    [
      'and the days too',
      (world, accountId) => {
        dropNewest(world, accountId);
        world.documents.days.delete(accountId);
      },
    ],
    ['completely', ({ store }, accountId) => store.commits.delete(accountId)],
    [
      'completely, and the days too',
      ({ store, documents }, accountId) => {
        store.commits.delete(accountId);
        documents.days.delete(accountId);
      },
    ],
    [
      'completely, and the position too',
      ({ store, documents }, accountId) => {
        store.commits.delete(accountId);
        documents.positions.delete(accountId);
      },
    ],
  ];

  test.each(cuts)('finds that their journal was cut %s', async (_how, cut) => {
    const { world, accountId } = await worldWithUse();
    const days = [...(world.documents.days.get(accountId)?.values() ?? [])];
    const throughSeq = Math.max(...days.map((day) => day.throughSeq));
    const position = world.documents.positions.get(accountId);
    cut(world, accountId);

    const { problems } = await verifyWorld(world);

    const seq = world.documents.positions.has(accountId) ? position?.throughSeq : throughSeq;
    expect(problems).toContainEqual({
      accountId,
      seq,
      problem: 'journal ends before its usage roll-up',
    });
  });

  test('finds nothing while they are outdated', async () => {
    const anyLag = fc.asyncProperty(
      programs,
      fc.integer({ min: 0, max: 12 }),
      async (program, commits) => {
        const world = await worldOf(program, commits);
        const stored = await storeProgram(program, 2);
        for (const [accountId, all] of stored.store.commits)
          world.store.commits.set(accountId, all);

        expect((await verifyWorld(world)).problems).toEqual([]);
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
    const usage = only<VerifiedStores['usage']>({
      async listPositions(after, limit) {
        await beforeRead();
        return stored.listPositions(after, limit);
      },
      async *scanDays(range) {
        await beforeRead();
        yield* stored.scanDays(range);
      },
    });

    const { problems } = await verifyStored({ journal: reliable(world.store), usage });

    expect(problems).toEqual([]);
    expect(world.documents.positions.size).toBeGreaterThan(0);
  });
});

function dropNewest({ store }: World, accountId: AccountId): void {
  store.commits.set(accountId, (store.commits.get(accountId) ?? []).slice(0, -1));
}

async function worldWithUse(): Promise<{ readonly world: World; readonly accountId: AccountId }> {
  for (const program of fc.sample(programs, { numRuns: 300, seed: 12 })) {
    const world = await worldOf(program);
    for (const [accountId, days] of world.documents.days) {
      if (days.size > 1) return { world, accountId };
    }
  }
  throw new Error('no journal has two days of use');
}
