import type { AccountId, ProjectId, RequestId } from '@inventory/contracts/ids';
import { only } from '@inventory/testkit/only';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  type CallStore,
  connectUsage,
  emptyUsage,
  type UsageDocuments,
  type UsageFaults,
} from '../../test/support/fake-usage.ts';
import {
  accounts,
  commandOf,
  type Program,
  programs,
  startMs,
} from '../../test/support/program.ts';
import { createChance, createScheduler } from '../../test/support/simulation/scheduler.ts';
import { type StoredJournal, storeProgram } from '../../test/support/stored-journal.ts';
import type { Command } from '../accounts/command.domain.ts';
import type { Journal } from '../journal/journal-store.ts';
import { createReadUsage, type UsageResult } from './read-usage.ts';
import { createRollUpUsage } from './roll-up-usage.ts';
import type { UsageSpan } from './usage-store.ts';

const limits = { daysMax: 10_000, tailMax: 10_000 };
const dayMs = 86_400_000;
const firstDay = Math.floor(startMs / dayMs);
const spans = fc.record({
  fromDay: fc.nat({ max: 200 }).map((day) => firstDay + day),
  days: fc.integer({ min: 1, max: 400 }),
  project: fc.nat({ max: 2 }),
});
const everyDay = { fromDay: 0, endDay: 1e6, projectId: null };
const atOnce = async <Value>(effect: () => Value) => effect();

/** Counted by walking the statement up to a position, as a customer would. */
function counted(stored: StoredJournal, accountId: string, span: UsageSpan, throughSeq = 1e9) {
  const rows: Record<string, number[]> = {};
  for (const { accountId: owner, entry } of stored.entries) {
    const { asset, atMs, change, kind, pageCount, productCode, projectId } = entry;
    const day = Math.floor(atMs / dayMs);
    if (owner !== accountId || entry.seq > throughSeq) continue;
    if (day < span.fromDay || day >= span.endDay) continue;
    if (span.projectId !== null && projectId !== span.projectId) continue;
    if (!['charge', 'settle', 'reverse'].includes(kind)) continue;
    const key = `${day} ${projectId} ${productCode} ${asset}`;
    const [count = 0, charged = 0, reversed = 0] = rows[key] ?? [];
    rows[key] = [
      count + (kind === 'reverse' ? 0 : (pageCount ?? 1)),
      charged + Math.max(0, change.consumed),
      reversed + Math.max(0, -change.consumed),
    ];
  }
  return Object.entries(rows).sort();
}

function rowsOf(read: UsageResult) {
  if (read.result !== 'read') throw new Error(read.result);
  return read.days.flatMap(({ day, projectId, products }) =>
    products.map(({ productCode, asset, count, charged, reversed }) => [
      `${day} ${projectId} ${productCode} ${asset}`,
      [count, charged, reversed],
    ]),
  );
}

function projectOf({ entries }: StoredJournal, choice: number): ProjectId | null {
  const known = entries.map(({ entry }) => entry.projectId).find((id) => id !== null);
  return choice === 0 ? null : (known ?? null);
}

/** Several replicas roll up, some of which die, while reports are read. */
async function rollUpInDisorder(
  stored: StoredJournal,
  documents: UsageDocuments,
  seed: number,
  check: (read: UsageResult, accountId: AccountId) => void,
  faults: UsageFaults = {},
): Promise<void> {
  const chance = createChance(seed);
  const scheduler = createScheduler(chance);
  const failures: unknown[] = [];
  /** The journal is written while its use is rolled up. */
  const grown = { seq: 1 };
  const start = (work: () => Promise<void>) => {
    void work().catch((error: unknown) => failures.push(error));
  };
  const replicas = Array.from({ length: 3 }, () => ({ isAlive: true }));
  for (const process of replicas) {
    const call: CallStore = (effect) => scheduler.call(process, effect);
    const usage = connectUsage(documents, call, faults);
    const journal = growingJournal(stored.journal, call, grown);
    for (const accountId of accounts) {
      const rollUp = createRollUpUsage({ journal, usage });
      start(async () => {
        for (let round = 0; round < 4; round += 1) await rollUp(accountId);
      });
      const read = createReadUsage({ journal, usage, limits });
      start(async () => check(await read(accountId, everyDay), accountId));
    }
  }
  while (await scheduler.step()) {
    grown.seq += chance.below(2);
    if (chance.percent(4)) chance.pick(replicas.slice(1)).isAlive = false;
  }
  if (failures.length > 0) throw failures[0];
}

function growingJournal(
  journal: Journal,
  call: CallStore,
  grown: { readonly seq: number },
): Journal {
  return only({
    readCommits: async (accountId, fromId, limit) => {
      const page = await journal.readCommits(accountId, fromId, limit);
      return call(() => page.filter(({ lastSeq }) => lastSeq <= grown.seq));
    },
  });
}

/** Many pages of one Project in one day. */
const busyDays = fc.integer({ min: 4, max: 16 }).map((pages): Program => {
  const [accountId = 'acc_'] = accounts;
  const ids = { accountId, requestId: 'req_grant', commandId: 'grant:busy' } as const;
  const booking = { asset: 'credits', amount: 1_000, reason: 'busy' } as const;
  const charges = Array.from({ length: pages }, (_, page): Command => {
    const requestId: RequestId = `req_0190dddd-0000-7000-8000-${String(page).padStart(12, '0')}`;
    const commandId = `charge:${requestId}`;
    const productCode = 'platform.inventory.page.v1';
    const buyer = { accountId, projectId: 'prj_busy', credentialId: null } as const;
    const subjects = { ...buyer, commandId, requestId, productCode } as const;
    return commandOf('charge', { ...subjects, pageCount: null });
  });
  const commands: Command[] = [commandOf('grant', { ...ids, ...booking }), ...charges];
  return commands.map((command) => ({ command, now: startMs }));
});

const inAnyOrder = (faults?: UsageFaults) =>
  fc.asyncProperty(
    fc.oneof(programs, busyDays),
    fc.integer({ min: 1, max: 3 }),
    fc.nat(),
    async (program, commitMax, seed) => {
      const stored = await storeProgram(program, commitMax);
      const { journal } = stored;
      const documents = emptyUsage();
      const isExact = (read: UsageResult, accountId: AccountId) => {
        if (read.result !== 'read') throw new Error(read.result);
        const expected = counted(stored, accountId, everyDay, read.asOfSeq);
        expect(rowsOf(read)).toEqual(expected);
      };

      await rollUpInDisorder(stored, documents, seed, isExact, faults);

      const usage = connectUsage(documents, atOnce);
      for (const accountId of accounts) {
        await createRollUpUsage({ journal, usage })(accountId);
        const days = await usage.listDays(accountId, everyDay, 1e9);
        const rows = rowsOf({ result: 'read', days, asOfSeq: 0 });
        expect(rows).toEqual(counted(stored, accountId, everyDay));
      }
    },
  );

describe('The usage of an account', () => {
  test('is the sum of the entries of its days, however much of it is rolled up', async () => {
    const anyUsage = fc.asyncProperty(
      programs,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      spans,
      async (program, commitMax, isRolledUp, { fromDay, days, project }) => {
        const stored = await storeProgram(program, commitMax);
        const { journal } = stored;
        const usage = connectUsage(emptyUsage(), atOnce);
        const span = { fromDay, endDay: fromDay + days, projectId: projectOf(stored, project) };
        for (const accountId of accounts) {
          if (isRolledUp) await createRollUpUsage({ journal, usage })(accountId);
          const read = await createReadUsage({ journal, usage, limits })(accountId, span);
          expect(rowsOf(read)).toEqual(counted(stored, accountId, span));
        }
      },
    );

    await fc.assert(anyUsage, { numRuns: propertyRuns(200) });
  });

  test('is exact up to its as_of position while replicas roll up, read, and die in between', async () => {
    await fc.assert(inAnyOrder(), { numRuns: propertyRuns(150) });
  });

  const planted: readonly [string, UsageFaults][] = [
    ['days are written whatever another replica wrote', { overwritesDays: true }],
    ['days do not keep which entries they counted', { forgetsPositions: true }],
  ];

  test.each(planted)('is detected to be wrong where %s', async (_fault, faults) => {
    const { failed } = await fc.check(inAnyOrder(faults), { numRuns: 2_000, seed: 5 });

    expect(failed).toBe(true);
  });

  test('that is more than one report may have is refused, not cut off', async () => {
    const { journal } = await richJournal();
    const usage = connectUsage(emptyUsage(), atOnce);
    const read = createReadUsage({ journal, usage, limits: { ...limits, daysMax: 0 } });

    expect(await read(accounts[0] ?? 'acc_', everyDay)).toEqual({ result: 'too_much' });
  });

  test('is refused while more is to be rolled up than one report counts', async () => {
    const { journal } = await richJournal();
    const usage = connectUsage(emptyUsage(), atOnce);
    const read = createReadUsage({ journal, usage, limits: { ...limits, tailMax: 1 } });

    expect(await read(accounts[0] ?? 'acc_', everyDay)).toEqual({ result: 'outdated' });
    await createRollUpUsage({ journal, usage })(accounts[0] ?? 'acc_');
    expect(await read(accounts[0] ?? 'acc_', everyDay)).toMatchObject({ result: 'read' });
  });
});

async function richJournal(): Promise<StoredJournal> {
  for (const program of fc.sample(programs, { numRuns: 100, seed: 3 })) {
    const stored = await storeProgram(program);
    const span = { ...everyDay };
    if (counted(stored, accounts[0] ?? '', span).length > 0) return stored;
  }
  throw new Error('no program uses anything');
}
