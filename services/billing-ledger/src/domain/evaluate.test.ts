import fc from 'fast-check';
import { type InvariantName, invariants } from '../../test/support/invariants.ts';
import { plantedFaults } from '../../test/support/planted-faults.ts';
import { programs } from '../../test/support/program.ts';
import { productRules, runProgram } from '../../test/support/run-program.ts';

const numRuns = 10_000;

const guarantees: readonly (readonly [InvariantName, string])[] = [
  [1, 'no entry makes or loses an amount, per account, per asset and over all accounts'],
  [2, 'no balance is ever negative, broken or beyond what a number holds exactly'],
  [3, 'what is held is the sum of the open holds, and a hold ends once and never by time alone'],
  [4, 'a refresh costs what its observed assets cost, never more than was reserved'],
  [5, 'a reservation is refused exactly when the account has less than it available'],
  [6, 'a command that comes again gets the same answer, and other content under its id conflicts'],
  [7, 'a refusal leaves balances and open holds as they were'],
  [8, 'the account is what its journal adds up to, from the beginning or from any snapshot'],
  [9, 'the time of an account only goes forward, whatever the clock does'],
  [10, 'a hold ends in the asset it was made in, and the other asset is never touched'],
  [11, 'a hold ends at the prices and for the product it was made under'],
  [12, 'there is an outcome for every entry and an entry for every outcome'],
  [13, 'a charge is reversed at most once, and never happens after its reversal'],
  [17, 'no account sees anything of another'],
  ['model', 'the ledger does what an independent ledger with perfect memory does'],
];

describe('Whatever commands arrive, in any order and however often', () => {
  test.each(guarantees)('invariant %s: %s', (name) => {
    fc.assert(
      fc.property(programs, (program) => invariants[name](productRules, program)),
      { numRuns },
    );
  });

  test('the programs that show it reach every kind of entry, refusal and repetition', () => {
    const reached = new Set<string>();
    for (const program of fc.sample(programs, { numRuns: 3_000, seed: 1 })) {
      for (const { verdict, entry } of runProgram(productRules, program).played) {
        reached.add(verdict).add(entry.kind);
        if (entry.refusal) reached.add(`${entry.command} ${entry.refusal.code}`);
        if (entry.disposition) reached.add(`${entry.command} ${entry.disposition}`);
      }
    }

    expect([...reached].sort()).toEqual([
      'adjust',
      'adjust balance_limit_exceeded',
      'adjust insufficient_credits',
      'adjust insufficient_units',
      'charge',
      'charge insufficient_credits',
      'charge insufficient_units',
      'conflict',
      'grant',
      'grant balance_limit_exceeded',
      'new',
      'precluded',
      'recorded',
      'refuse',
      'release',
      'release hold_unknown',
      'release release',
      'reserve',
      'reserve insufficient_credits',
      'reserve insufficient_units',
      'reverse',
      'reverse charge_unknown',
      'settle',
      'settle finalize_complete',
      'settle finalize_diagnostic',
      'settle hold_unknown',
      'settle release',
    ]);
  });
});

describe('Each of these guarantees is one that can be broken', () => {
  test.each(plantedFaults)(
    'invariant $breaks notices a ledger where $fault',
    ({ breaks, rules }) => {
      const result = fc.check(
        fc.property(programs, (program) => invariants[breaks](rules, program)),
        { numRuns },
      );

      expect(result.failed).toBe(true);
      // Noticed as a broken guarantee, not as an exception on the way.
      expect(String(result.errorInstance)).toContain('returning false');
    },
  );
});
