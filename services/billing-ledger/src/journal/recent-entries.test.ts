import fc from 'fast-check';
import { programs } from '../../test/support/program.ts';
import { productRules, runProgram } from '../../test/support/run-program.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { createRecentEntries } from './recent-entries.ts';

/** Entries with different keys, three at least. */
function someEntries(): [Entry, Entry, Entry] {
  for (const program of fc.sample(programs, { numRuns: 50, seed: 2 })) {
    const played = runProgram(productRules, program).played.filter(
      ({ result }) => result === 'new',
    );
    const [one, two, three] = played
      .map(({ entry }) => entry)
      .filter(({ kind }) => kind === 'reserve' || kind === 'charge');
    if (one && two && three) return [one, two, three];
  }
  throw new Error('no program makes three entries');
}
const [one, two, three] = someEntries();

describe('The entries kept in memory', () => {
  test('are found under the account they are of, and under no other', () => {
    const recent = createRecentEntries(10);
    recent.add('acc_a', [one]);

    expect(recent.find('acc_a', one.commandId)).toBe(one);
    expect(recent.find('acc_b', one.commandId)).toBeUndefined();
  });

  test('are never more than allowed: the one used longest ago is evicted', () => {
    const recent = createRecentEntries(2);
    recent.add('acc_a', [one]);
    recent.add('acc_b', [two]);
    recent.find('acc_a', one.commandId);
    recent.add('acc_a', [three]);

    expect(recent.find('acc_b', two.commandId)).toBeUndefined();
    expect(recent.find('acc_a', one.commandId)).toBe(one);
    expect(recent.find('acc_a', three.commandId)).toBe(three);
  });
});
