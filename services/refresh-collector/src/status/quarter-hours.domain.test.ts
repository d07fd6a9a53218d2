import { refreshOutcomes } from '@inventory/contracts/vocabulary';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  noneSince,
  sumOf,
  waitBoundsSeconds,
  waitWithin,
  withEnd,
} from './quarter-hours.domain.ts';

const ends = fc.array(
  fc.record({
    outcome: fc.constantFrom(...refreshOutcomes),
    waitMs: fc.integer({ min: 0, max: 7_200_000 }),
  }),
);

const counted = (of: readonly Parameters<typeof withEnd>[1][]) =>
  of.reduce((quarter, end) => withEnd(quarter, end), noneSince(0));

describe('A quarter of an hour (Status) [status-page]', () => {
  it('is the sum of what replicas counted of it, however it was divided among them', () => {
    fc.assert(
      fc.property(ends, ends, (here, there) => {
        expect(sumOf(counted(here), counted(there))).toEqual(counted([...here, ...there]));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('says within what time a share of the completed refreshes completed, to the next bound', () => {
    fc.assert(
      fc.property(ends, fc.double({ min: 0.01, max: 1, noNaN: true }), (given, share) => {
        const isCompleted = ({ outcome }: (typeof given)[number]) =>
          outcome.startsWith('complete_') || outcome === 'private' || outcome === 'not_found';
        const waits = given.filter(isCompleted).map(({ waitMs }) => waitMs / 1_000);
        const sorted = waits.toSorted((one, other) => one - other);
        const exact = sorted[Math.ceil(share * sorted.length) - 1];
        const bound = waitBoundsSeconds.find((seconds) => seconds >= (exact ?? 0));

        expect(waitWithin(counted(given), share)).toBe(exact === undefined ? null : bound);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it.each([
    ['complete_changed', 1, 0],
    ['private', 1, 0],
    ['not_found', 1, 0],
    ['upstream_unavailable', 0, 1],
    ['incomplete', 0, 1],
    ['internal_failure', 0, 1],
    ['cancelled', 0, 0],
  ] as const)('counts %s as completed %i, failed %i', (outcome, completed, failed) => {
    expect(counted([{ outcome, waitMs: 5 }])).toMatchObject({ completed, failed });
  });
});
