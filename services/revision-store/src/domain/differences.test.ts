import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  addDifference,
  type Difference,
  type Differences,
  differenceKey,
  openDifferences,
  orderByKey,
} from './differences.ts';

const key = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((id) => `0${String(id).length}${id}a`),
  fc.constantFrom('', '0', '~x', '111a', '1112a1', '111c'),
);
const difference: fc.Arbitrary<Difference> = fc.record({
  key,
  inHead: fc.integer({ min: -1, max: 8_000 * 65_536 }),
  headBytes: fc.nat(12_000_000),
  inScan: fc.integer({ min: -1, max: 16_000_000 }),
});

/** Differences as they were given, and one by one as they come out of the columns. */
function ordered(given: readonly Difference[], order: typeof orderByKey): Difference[] {
  const columns = openDifferences();
  for (const each of given) addDifference(columns, each);
  const computation = order(columns);
  let step = computation.next();
  while (!step.done) step = computation.next();
  return Array.from(step.value, (number) => ({
    key: differenceKey(columns, number),
    inHead: columns.inHead[number] ?? Number.NaN,
    headBytes: columns.headBytes[number] ?? Number.NaN,
    inScan: columns.inScan[number] ?? Number.NaN,
  }));
}

/** As objects, sorted by their keys as text: what the columns stand for. */
const sorted = (given: readonly Difference[]) =>
  given.toSorted((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));

const areSorted = (order: typeof orderByKey) =>
  fc.property(fc.uniqueArray(difference, { selector: ({ key: text }) => text }), (given) => {
    expect(ordered(given, order)).toEqual(sorted(given));
  });

describe('Differences between a head and a scan (Beyond the interface: Changes) [changes-are-a-function-of-two-revisions]', () => {
  it('come out of their columns as they were added, in the order of their keys as texts', () => {
    fc.assert(areSorted(orderByKey), { numRuns: propertyRuns(500) });
  });

  it('are in order too where they are more than are sorted at once, however their runs end', () => {
    for (const count of [5_000, 5_001, 14_999, 20_001]) {
      const given = Array.from({ length: count }, (_, at): Difference => {
        const id = String((at * 7_919) % 100_003);
        return { key: `0${id.length}${id}a`, inHead: at, headBytes: 1, inScan: -1 };
      });
      expect(ordered(given, orderByKey)).toEqual(sorted(given));
    }
  });

  it('are found out of order when keys are compared by their first two characters', () => {
    const planted: typeof orderByKey = function* ({ size, ...rest }: Differences) {
      const short = openDifferences();
      for (let number = 0; number < size; number += 1) {
        const start = differenceKey({ size, ...rest }, number).slice(0, 2);
        addDifference(short, { key: start, inHead: -1, headBytes: 0, inScan: -1 });
      }
      return yield* orderByKey(short);
    };
    expect(fc.check(areSorted(planted), { seed: 1, numRuns: 500 }).failed).toBe(true);
  });
});
