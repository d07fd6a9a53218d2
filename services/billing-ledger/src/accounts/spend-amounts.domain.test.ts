import type { ProjectId } from '@inventory/contracts/ids';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  amountOf,
  amountsOf,
  listAmounts,
  noAmounts,
  withAdded,
} from './spend-amounts.domain.ts';

/** Ids that mostly end alike, so that leaves fill and split. */
const projectIds = fc.oneof(
  fc.uuid({ version: 7 }).map((uuid): ProjectId => `prj_${uuid}`),
  fc.nat({ max: 60 }).map((number): ProjectId => {
    const text = String(number).padStart(4, '0');
    return `prj_0190bbbb-${text}-7000-8000-000000000000`;
  }),
);
const additions = fc.array(
  fc.record({ projectId: projectIds, amount: fc.integer({ min: -50, max: 500 }) }),
  { maxLength: 80, size: 'max' },
);

describe('The amounts of Projects', () => {
  test('are the sums of what was added to each, in any order, and are immutable', () => {
    fc.assert(
      fc.property(additions, (list) => {
        const sums = new Map<ProjectId, number>();
        let amounts = noAmounts;
        const half = amountsOf(list.slice(0, list.length / 2));
        const before = JSON.stringify(half);
        for (const { projectId, amount } of list) {
          sums.set(projectId, (sums.get(projectId) ?? 0) + amount);
          amounts = withAdded(amounts, { projectId, amount });
          withAdded(half, { projectId, amount });
        }
        const listed = listAmounts(amounts);
        return (
          before === JSON.stringify(half) &&
          listed.length === sums.size &&
          listed.every(({ projectId, amount }) => sums.get(projectId) === amount) &&
          [...sums].every(([projectId, sum]) => amountOf(amounts, projectId) === sum) &&
          JSON.stringify(listAmounts(amountsOf(listed))) === JSON.stringify(listed)
        );
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  test('of a Project without additions are 0', () => {
    expect(amountOf(noAmounts, 'prj_0190bbbb-0000-7000-8000-000000000000')).toBe(0);
  });
});
