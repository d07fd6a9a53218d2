import { isDeepStrictEqual } from 'node:util';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  findHold,
  type Hold,
  listHolds,
  noHolds,
  withHold,
  withoutHold,
} from './hold-set.domain.ts';
import { LedgerConflict } from './ledger-conflict.domain.ts';

function holdOf(number: number): Hold {
  return {
    refreshId: `0190aaaa-0000-7000-8000-${number.toString(16).padStart(12, '0')}`,
    projectId: 'prj_0190aaaa-0000-7000-8000-000000000000',
    credentialId: null,
    productCode: 'platform.inventory.refresh.v1',
    asset: 'credits',
    amount: 125,
    priceVersion: 1,
    reservedAtMs: 10_000 - number,
  };
}

describe('The open holds of an account', () => {
  test('are those that were opened and not resolved, however many, and no older set changes', () => {
    const numbers = fc.array(fc.nat({ max: 300 }), { maxLength: 400, size: 'max' });

    fc.assert(
      fc.property(numbers, fc.nat(), (toggled, place) => {
        const expected = new Map<string, Hold>();
        let holds = noHolds;
        let earlier = { holds, listed: listHolds(holds) };
        for (const [index, number] of toggled.entries()) {
          if (index === place % toggled.length) earlier = { holds, listed: listHolds(holds) };
          const hold = holdOf(number);
          if (expected.delete(hold.refreshId)) holds = withoutHold(holds, hold.refreshId);
          else {
            expected.set(hold.refreshId, hold);
            holds = withHold(holds, hold);
          }
        }
        const listed = listHolds(holds).map(({ refreshId }) => refreshId);
        return (
          isDeepStrictEqual(listHolds(earlier.holds), earlier.listed) &&
          holds.size === expected.size &&
          listed.toSorted().join() === [...expected.keys()].sort().join()
        );
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  test('are listed oldest first', () => {
    const holds = [3, 1, 2].map(holdOf).reduce(withHold, noHolds);

    expect(listHolds(holds).map(({ reservedAtMs }) => reservedAtMs)).toEqual([9_997, 9_998, 9_999]);
    expect(findHold(holds, holdOf(2).refreshId)?.reservedAtMs).toBe(9_998);
  });

  test('a refresh has at most one, and one that is not open cannot be resolved', () => {
    const one = withHold(noHolds, holdOf(1));

    expect(() => withHold(one, holdOf(1))).toThrow(LedgerConflict);
    expect(() => withoutHold(one, holdOf(2).refreshId)).toThrow(LedgerConflict);
  });
});
