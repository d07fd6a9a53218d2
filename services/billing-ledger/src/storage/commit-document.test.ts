import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { accounts, programs } from '../../test/support/program.ts';
import { productRules, runProgram } from '../../test/support/run-program.ts';
import { chainStart, type NewCommit, readCommit, sealCommit } from './commit-document.ts';

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

const store = (commit: NewCommit) => Buffer.from(BSON.serialize(sealCommit(commit, 'writer')));

describe('A stored commit', () => {
  test('is read back unchanged: entries, balances, keys and chain', () => {
    fc.assert(
      fc.property(commits, (commit) => {
        const read = readCommit(store(commit));
        return (
          read.isIntact &&
          JSON.stringify(read.entries) === JSON.stringify(commit.entries) &&
          JSON.stringify(read.balances) === JSON.stringify(commit.account.balances) &&
          read.prevHash === chainStart.hash
        );
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  test('invariant 15: a change of each of its bytes is detected', () => {
    const [commit] = fc.sample(commits, { numRuns: 1, seed: 7 });
    if (!commit) throw new Error('no commit to change');
    const bytes = store(commit);

    const unnoticed = [...bytes.keys()].filter((index) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      return isTakenForIntact(changed);
    });

    expect(isTakenForIntact(bytes)).toBe(true);
    expect(unnoticed).toEqual([]);
  });

  test('invariant 15: any change of any byte is detected', () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));

    fc.assert(
      fc.property(commits, change, (commit, [at, flipped]) => {
        const bytes = store(commit);
        const index = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(index) ^ flipped, index);
        return !isTakenForIntact(bytes);
      }),
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

function isTakenForIntact(bytes: Uint8Array): boolean {
  try {
    return readCommit(bytes).isIntact;
  } catch {
    return false;
  }
}
