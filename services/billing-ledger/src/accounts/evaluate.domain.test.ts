import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type InvariantName, invariants } from '../../test/support/invariants.ts';
import { plantedFaults } from '../../test/support/planted-faults.ts';
import { programs } from '../../test/support/program.ts';
import { productRules, runProgram } from '../../test/support/run-program.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 6, numRuns: 10_000 };

const guarantees: readonly (readonly [InvariantName, string])[] = [
  [1, 'no entry makes or loses an amount, per account, per asset and over all accounts'],
  [2, 'no balance is ever negative, broken or beyond what a number holds exactly'],
  [3, 'what is held is the sum of the open holds, and a hold ends once and never by time alone'],
  [4, 'a refresh costs what its observed assets cost, never more than was reserved'],
  [5, 'a reservation is refused exactly when the account has less than it available'],
  [6, 'a duplicate command gets the recorded result, and other content under its id conflicts'],
  [7, 'a refusal leaves balances and open holds as they were'],
  [8, 'the account is what its journal adds up to, from the beginning or from any snapshot'],
  [9, 'the time of an account is the clock, and never decreases whatever the clock does'],
  [10, 'a hold ends in the asset it was made in, and the other asset is never touched'],
  [11, 'a hold is made under the list in force and ends at its prices and for its product'],
  [12, 'there is an outcome for every entry and an entry for every outcome'],
  [13, 'a charge is reversed at most once, and never happens after its reversal'],
  [17, 'no account sees anything of another'],
  [18, 'a month of a subscription has one allowance, and nothing is left of the month before'],
  [19, 'units that come back into a month that is over expire, and nothing else does'],
  [20, 'a Project spends up to its cap in a month, open holds included, and never more'],
  [21, 'a balance that falls below its threshold is reported once, until it is back'],
  [22, 'a balance read in a new month shows that month, although nothing was written in it'],
  [23, 'a hold is never above the max_credits of its command'],
  ['model', 'the ledger agrees with an independent model with perfect memory'],
];

describe('For any commands, in any order and any number of deliveries', () => {
  const numRuns = propertyRuns(500);
  const seed = fc.readConfigureGlobal().seed ?? Math.floor(Math.random() * 2 ** 31);
  const broken = new Set<InvariantName>();

  // Each program is made and played once, and judged by all of them.
  beforeAll(() => {
    const judged = fc.property(programs, (program) => {
      for (const [name] of guarantees) {
        if (!invariants[name](productRules, program)) broken.add(name);
      }
    });
    fc.assert(judged, { numRuns, seed });
  });

  test.each(guarantees)('invariant %s: %s', (name) => {
    const alone = fc.property(programs, (program) => invariants[name](productRules, program));
    // A broken one reports the shortest program that shows it.
    if (broken.has(name)) fc.assert(alone, { numRuns, seed });
    expect(broken).not.toContain(name);
  });

  test('the programs reach every kind of entry, refusal and duplicate', () => {
    const reached = new Set<string>();
    for (const program of fc.sample(programs, { numRuns: 3_000, seed: 1 })) {
      for (const { result, entry } of runProgram(productRules, program).played) {
        reached.add(result).add(entry.kind);
        for (const { kind } of entry.opening) reached.add(kind);
        if (entry.lowBalance) reached.add('warning');
        if (entry.pastPeriod !== null) reached.add(`${entry.kind} in a later month`);
        if (entry.refusal) reached.add(`${entry.command} ${entry.refusal.code}`);
        if (entry.disposition) reached.add(`${entry.command} ${entry.disposition}`);
      }
    }

    expect([...reached].sort()).toEqual([
      'adjust',
      'adjust balance_limit_exceeded',
      'adjust insufficient_credits',
      'adjust insufficient_units',
      'allowance',
      'charge',
      'charge insufficient_credits',
      'charge insufficient_units',
      'charge spend_cap_reached',
      'configure',
      'conflict',
      'expire',
      'grant',
      'grant balance_limit_exceeded',
      'new',
      'precluded',
      'recorded',
      'refuse',
      'release',
      'release hold_unknown',
      'release in a later month',
      'release release',
      'reserve',
      'reserve insufficient_credits',
      'reserve insufficient_units',
      'reserve spend_cap_reached',
      'reverse',
      'reverse charge_unknown',
      'reverse in a later month',
      'settle',
      'settle finalize_complete',
      'settle finalize_diagnostic',
      'settle hold_unknown',
      'settle in a later month',
      'settle release',
      'warning',
    ]);
  });
});

describe('Each of these guarantees is broken by a planted fault', () => {
  test.each(plantedFaults)(
    'invariant $breaks detects a ledger where $fault',
    ({ breaks, rules }) => {
      const result = fc.check(
        fc.property(programs, (program) => invariants[breaks](rules, program)),
        faultRuns,
      );

      expect(result.failed).toBe(true);
      // Noticed as a broken guarantee, not as an exception on the way.
      expect(String(result.errorInstance)).toContain('returning false');
    },
  );
});
