import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  amountOf,
  amountsOf,
  listAmounts,
  noAmounts,
  type SpenderId,
  withAdded,
} from './spend-amounts.domain.ts';

/** Ids that mostly end alike, so that leaves fill and split. */
const spenderIds = fc.oneof(
  fc.uuid({ version: 7 }).map((uuid): SpenderId => `prj_${uuid}`),
  fc.uuid({ version: 7 }).map((uuid): SpenderId => `cred_${uuid}`),
  fc.nat({ max: 60 }).map((number): SpenderId => {
    const text = String(number).padStart(4, '0');
    return `prj_0190bbbb-${text}-7000-8000-000000000000`;
  }),
);
const additions = fc.array(
  fc.record({ spenderId: spenderIds, amount: fc.integer({ min: -50, max: 500 }) }),
  { maxLength: 80, size: 'max' },
);

describe('The amounts of Projects and Credentials', () => {
  test('are the sums of what was added to each, in any order, and are immutable', () => {
    fc.assert(
      fc.property(additions, (list) => {
        const sums = new Map<SpenderId, number>();
        let amounts = noAmounts;
        const half = amountsOf(list.slice(0, list.length / 2));
        const before = JSON.stringify(half);
        for (const { spenderId, amount } of list) {
          sums.set(spenderId, (sums.get(spenderId) ?? 0) + amount);
          amounts = withAdded(amounts, { spenderId, amount });
          withAdded(half, { spenderId, amount });
        }
        const listed = listAmounts(amounts);
        return (
          before === JSON.stringify(half) &&
          listed.length === sums.size &&
          listed.every(({ spenderId, amount }) => sums.get(spenderId) === amount) &&
          [...sums].every(([spenderId, sum]) => amountOf(amounts, spenderId) === sum) &&
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
