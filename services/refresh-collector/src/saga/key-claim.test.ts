import fc from 'fast-check';
import { claimIn, claimsOn, storedClaim } from './refresh-document.ts';

const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
const keys = fc.string({ unit: printable, minLength: 1, maxLength: 255 });
const generations = fc.nat({ max: 999_999_999 });

describe('a claim on an Idempotency-Key', () => {
  it('is read as it was stored, the first as the key itself (Idempotency-Key: printable ASCII)', () => {
    expect(storedClaim({ key: 'k', generation: 0 })).toBe('k');
    fc.assert(
      fc.property(keys, generations, (key, generation) => {
        expect(claimIn(storedClaim({ key, generation }))).toEqual({ key, generation });
      }),
    );
  });

  it('sorts by its generation and is among the claims on its own key alone', () => {
    const related = fc.tuple(keys, keys).map(([key, more]) => [key, `${key}${more}`] as const);
    fc.assert(
      fc.property(related, generations, generations, ([key, longer], one, other) => {
        const [first = 0, last = 0] = [one, other].toSorted((a, b) => a - b);
        const [claim, next] = [first, last].map((generation) => storedClaim({ key, generation }));
        const { $gte, $lt } = claimsOn(key);
        const isWithin = (stored = '') => stored >= $gte && stored < $lt;
        expect([claim, next].toSorted()).toEqual([claim, next]);
        expect([isWithin(claim), isWithin(next)]).toEqual([true, true]);
        expect(isWithin(storedClaim({ key: longer, generation: one }))).toBe(false);
      }),
    );
  });
});
