import { secretDigest } from '@inventory/runtime/secret-digest';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createDigestSet, digitsKept } from './digest-set.domain.ts';

/** Of few values, so that digests repeat and share their slots. */
const digests = fc
  .oneof(fc.nat(40), fc.integer({ min: 0, max: 2 ** 52 - 1 }))
  .map((value) => value.toString(16).padStart(digitsKept, '0').padEnd(64, 'a'));

test('it has what was added and nothing else, whatever the order and however much it has grown', () => {
  fc.assert(
    fc.property(fc.array(digests, { maxLength: 60 }), digests, (added, other) => {
      const set = createDigestSet(1_000);
      for (const digest of added) set.add(digest);

      expect(added.every(set.has)).toBe(true);
      expect(set.has(other)).toBe(added.includes(other));
      expect(set.size).toBe(new Set(added).size);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a digest takes 11 to 22 bytes beyond the first thousand, and none past the limit', () => {
  const set = createDigestSet(20_000);
  const bytesOfEach: number[] = [];

  for (let number = 1; number <= 25_000; number += 1) {
    set.add(secretDigest(String(number)));
    if (set.size === number && number > 1_024) bytesOfEach.push(set.bytes / number);
  }

  expect(Math.min(...bytesOfEach)).toBeGreaterThan(10.6);
  expect(Math.max(...bytesOfEach)).toBeLessThan(21.4);
  expect([set.size, set.bytes]).toEqual([20_000, 8 * 32_768]);
  const [last, next] = ['20000', '20001'].map(secretDigest);
  expect([set.has(last ?? ''), set.has(next ?? '')]).toEqual([true, false]);
});
