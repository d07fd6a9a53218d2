import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { accounts, programs, startMs } from '../../test/support/program.ts';
import { type StoredJournal, storeProgram } from '../../test/support/stored-journal.ts';
import { createReadUsage, type UsageSpan } from './read-usage.ts';

const limits = { entriesMax: 10_000, rowsMax: 10_000 };
const dayMs = 86_400_000;
const firstDay = Math.floor(startMs / dayMs) * dayMs;
const spans = fc.record({
  fromMs: fc.nat({ max: 200 }).map((day) => firstDay + day * dayMs),
  days: fc.integer({ min: 1, max: 400 }),
  project: fc.nat({ max: 2 }),
});

/** Counted by walking everything, as a customer would with a statement. */
function counted({ entries }: StoredJournal, accountId: string, span: UsageSpan) {
  const rows: Record<string, number[]> = {};
  for (const { accountId: owner, entry } of entries) {
    const { asset, at, change, kind, productCode, projectId } = entry;
    if (owner !== accountId || at < span.fromMs || at >= span.endMs) continue;
    if (span.projectId !== null && projectId !== span.projectId) continue;
    if (!['charge', 'settle', 'reverse'].includes(kind)) continue;
    const day = new Date(at).toISOString().slice(0, 10);
    const key = `${day} ${projectId} ${productCode} ${asset}`;
    const [count = 0, charged = 0, reversed = 0] = rows[key] ?? [];
    rows[key] = [
      count + (kind === 'reverse' ? 0 : 1),
      charged + Math.max(0, change.consumed),
      reversed + Math.max(0, -change.consumed),
    ];
  }
  return rows;
}

describe('The usage of an account', () => {
  test('is the sum of the entries of its days, wherever the span begins and however they are committed', async () => {
    const anyUsage = fc.asyncProperty(
      programs,
      fc.integer({ min: 1, max: 9 }),
      spans,
      async (program, commitMax, { fromMs, days, project }) => {
        const stored = await storeProgram(program, commitMax);
        const projectIds = stored.entries.map(({ entry }) => entry.projectId);
        const projectId = project === 0 ? null : (projectIds.find((id) => id !== null) ?? null);
        const span = { fromMs, endMs: fromMs + days * dayMs, projectId };
        for (const accountId of accounts) {
          const read = await createReadUsage(stored.journal, limits)(accountId, span);
          if (read.result !== 'read') return false;
          const rows = read.rows.map((row) => [
            [
              new Date(row.day * dayMs).toISOString().slice(0, 10),
              ...[row.projectId, row.productCode, row.asset],
            ].join(' '),
            [row.count, row.charged, row.reversed],
          ]);
          const expected = Object.entries(counted(stored, accountId, span)).sort();
          if (JSON.stringify(rows) !== JSON.stringify(expected)) return false;
        }
        return true;
      },
    );

    await fc.assert(anyUsage, { numRuns: propertyRuns(300) });
  });

  test('that is more than one report may have is refused, not cut off', async () => {
    const stored = await storeProgram(fc.sample(programs, { numRuns: 1, seed: 3 })[0] ?? []);
    const all = { fromMs: 0, endMs: Number.MAX_SAFE_INTEGER, projectId: null };
    const read = createReadUsage(stored.journal, { entriesMax: 1, rowsMax: 10 });

    expect(await read(accounts[0] ?? 'acc_', all)).toEqual({ result: 'too_much' });
  });
});
