import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type SimulationOptions, simulate } from '../../test/support/simulation/simulate.ts';
import type { AppendResult, Journal } from './journal-store.ts';

/** A seed says nothing about the next one: there is nothing to shrink. */
const seeds = fc.noShrink(fc.nat());

/** Whatever the seed, nothing is wrong in the end. */
const endsWell = (options: SimulationOptions = {}) =>
  fc.asyncProperty(seeds, async (seed) => {
    expect(await simulate(seed, options)).toEqual([]);
  });

/** The first of some known seeds that ends with something wrong, and what that is. */
async function firstFailure(options: SimulationOptions) {
  for (let seed = 1; seed <= 500; seed += 1) {
    const problems = await simulate(seed, options);
    if (problems.length > 0) return { seed, problems };
  }
  return null;
}

describe('With any fault and any other writer', () => {
  test('every command is journaled once, its outcome is published at least once and never differs, and the books add up', async () => {
    await fc.assert(endsWell(), { numRuns: propertyRuns(200) });
  });

  test('the books do not depend on a writer detecting that it lost an account', async () => {
    const options = { replica: { keepsCache: true } };

    await fc.assert(endsWell(options), { numRuns: propertyRuns(50) });
  });
});

/** A writer that takes a lost response for a success. */
function trusting(journal: Journal): Journal {
  return {
    ...journal,
    appendCommits: (commits) =>
      journal
        .appendCommits(commits)
        .catch(() =>
          commits.map(({ previous }): AppendResult => ({ result: 'appended', head: previous })),
        ),
  };
}

describe('Each of these faults is detected', () => {
  const planted: readonly { fault: string; options: SimulationOptions }[] = [
    {
      fault: 'a command can be journaled twice',
      options: { guarantees: { uniqueIds: true, uniqueKeys: false } },
    },
    { fault: 'positions are committed before the effect', options: { commitsFirst: true } },
    {
      fault: 'a lost acknowledgement is taken for a stored commit',
      options: { replica: { wrapJournal: trusting } },
    },
    {
      fault: 'an outcome that could not be published is dropped',
      options: { replica: { dropsOutcomes: true } },
    },
    {
      fault: 'the commands of an account whose snapshot is rebuilt are dropped',
      options: { replica: { dropsPostponed: true } },
    },
  ];

  test.each(planted)(
    'the simulation detects that $fault, and again from the same seed',
    async ({ options }) => {
      const failure = await firstFailure(options);

      expect(failure).not.toBeNull();
      expect(await simulate(failure?.seed ?? 0, options)).toEqual(failure?.problems);
    },
  );
});
