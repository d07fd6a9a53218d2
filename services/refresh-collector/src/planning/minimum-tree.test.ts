import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createMinimumTree } from './reservations.domain.ts';

const number = fc.integer({ min: -100, max: 100 });
const change = fc.record({
  kind: fc.constantFrom('add', 'set'),
  index: fc.nat(),
  by: fc.oneof(number, fc.constant(Number.POSITIVE_INFINITY)),
});

describe('the least number from an index on', () => {
  it('is that of the plain list, whatever was added and set', () => {
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1, maxLength: 40 }),
        fc.array(change, { maxLength: 30 }),
        (numbers, changes) => {
          const list = [...numbers];
          const tree = createMinimumTree(numbers);
          for (const { kind, index, by } of changes) {
            const from = index % list.length;
            if (kind === 'set') {
              list[from] = by;
              tree.set(from, by);
            } else if (Number.isFinite(by)) {
              for (let index = from; index < list.length; index += 1) {
                list[index] = (list[index] ?? 0) + by;
              }
              tree.add(from, by);
            }
          }
          return list.every(
            (value, index) =>
              tree.at(index) === value && tree.least(index) === Math.min(...list.slice(index)),
          );
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });
});
