import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { accounts, decodeProgram, programs } from '../../test/support/program.ts';
import { storeProgram } from '../../test/support/stored-journal.ts';
import { BrokenJournal } from './commit-document.ts';
import { createReadStatement } from './read-statement.ts';

describe('The statement of an account (decisions: statement row) [account-self-service]', () => {
  test('read page by page is the whole journal in order, whatever the page size', async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 30 }));
    const anyPaging = fc.asyncProperty(programs, sizes, async (program, [limit, commitMax]) => {
      const stored = await storeProgram(program, commitMax);
      const read = createReadStatement(stored.journal);
      for (const accountId of accounts) {
        const seqs: number[] = [];
        for (let more = true; more; ) {
          const page = await read(accountId, { afterSeq: seqs.at(-1) ?? 0 }, limit);
          if (page.entries.length > limit) return false;
          seqs.push(...page.entries.map(({ seq }) => seq));
          more = page.hasMore;
        }
        const own = stored.entries.filter((one) => one.accountId === accountId);
        if (seqs.join() !== own.map(({ entry }) => entry.seq).join()) return false;
      }
      return true;
    });

    await fc.assert(anyPaging, { numRuns: propertyRuns(200) });
  });

  test('of a time has the entries that were booked in it, page by page (Free looks and findable lists) [list]', async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 30 }));
    const places = fc.tuple(fc.nat(), fc.nat());
    const anyRange = fc.asyncProperty(
      programs,
      sizes,
      places,
      async (program, [limit, commitMax], [fromPlace, toPlace]) => {
        const stored = await storeProgram(program, commitMax);
        const read = createReadStatement(stored.journal);
        for (const accountId of accounts) {
          const own = stored.entries.filter((one) => one.accountId === accountId);
          const timeAt = (place: number) => own[place % (own.length || 1)]?.entry.atMs ?? 0;
          const [from, to] = [timeAt(fromPlace), timeAt(toPlace) + 1];
          const seqs: number[] = [];
          for (let more = true; more; ) {
            const page = await read(accountId, { afterSeq: seqs.at(-1) ?? 0, from, to }, limit);
            seqs.push(...page.entries.map(({ seq }) => seq));
            more = page.hasMore;
          }
          const wanted = own.filter(({ entry: { atMs } }) => atMs >= from && atMs < to);
          if (seqs.join() !== wanted.map(({ entry }) => entry.seq).join()) return false;
        }
        return true;
      },
    );

    await fc.assert(anyRange, { numRuns: propertyRuns(200) });
  });

  test('is refused where a commit of it was changed', async () => {
    const { journal } = await storeProgram(decodeProgram([]));
    const read = createReadStatement({
      ...journal,
      readCommits: async (...args) =>
        (await journal.readCommits(...args)).map((commit) => ({ ...commit, isIntact: false })),
    });

    const page = read(accounts[0] ?? 'acc_', { afterSeq: 0 }, 5);

    await expect(page).rejects.toThrow(BrokenJournal);
  });

  test('is empty after the last entry and for an account that never had one', async () => {
    const stored = await storeProgram([]);
    const read = createReadStatement(stored.journal);
    const nothing = { entries: [], hasMore: false };

    expect(await read(accounts[0] ?? 'acc_', { afterSeq: 0 }, 5)).toEqual(nothing);
    expect(await read(accounts[0] ?? 'acc_', { afterSeq: 999 }, 5)).toEqual(nothing);
  });
});
