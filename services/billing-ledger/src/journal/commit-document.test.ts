import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type Change, changes, flipContent } from '../../test/support/changed-document.ts';
import { accounts, programs } from '../../test/support/program.ts';
import { productRules, runProgram } from '../../test/support/run-program.ts';
import {
  type CommitDocument,
  chainStart,
  type NewCommit,
  readCommit,
  sealCommit,
} from './commit-document.ts';

/** Everything a program did to the first account, as one commit. */
const commits = programs
  .map((program): NewCommit | null => {
    const { ledger } = runProgram(productRules, program);
    const [accountId] = accounts;
    if (!accountId) return null;
    const entries = ledger.journal(accountId);
    return { account: ledger.account(accountId), entries, previous: chainStart };
  })
  .filter((commit) => commit !== null);

const store = (commit: NewCommit): CommitDocument => sealCommit(commit, 'writer');

describe('A stored commit', () => {
  test('is read back unchanged: entries, balances, keys and chain', () => {
    fc.assert(
      fc.property(commits, (commit) => {
        const read = readCommit(store(commit));

        expect(read.isIntact).toBe(true);
        expect(read.entries).toEqual(commit.entries);
        expect(read.balances).toEqual(commit.account.balances);
        expect(read.prevHash).toBe(chainStart.hash);
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  test('invariant 15: a change of each byte of its content is detected', () => {
    const [commit] = fc.sample(commits, { numRuns: 1, seed: 7 });
    if (!commit) throw new Error('no commit to change');
    const document = store(commit);

    const unnoticed = [...document.content.keys()].filter((index) =>
      isTakenForIntact(flipContent(index, 1)(document)),
    );

    expect(isTakenForIntact(document)).toBe(true);
    expect(unnoticed).toEqual([]);
  });

  test('invariant 15: any change of its content or of another field is detected', () => {
    fc.assert(
      fc.property(
        commits,
        changes,
        (commit, change: Change) => !isTakenForIntact(change(store(commit))),
      ),
      { numRuns: propertyRuns(800) },
    );
  });

  test('keeps amounts up to 2^53 - 1 exact', () => {
    const [commit] = fc.sample(commits, { numRuns: 1, seed: 3 });
    const [entry] = commit?.entries ?? [];
    if (!commit || !entry) throw new Error('no commit to change');
    const after = { ...entry.after, available: 2 ** 53 - 1 };

    const read = readCommit(store({ ...commit, entries: [{ ...entry, after }] }));

    expect(read.entries[0]?.after.available).toBe(9_007_199_254_740_991);
  });
});

function isTakenForIntact(document: CommitDocument): boolean {
  try {
    return readCommit(document).isIntact;
  } catch {
    return false;
  }
}
