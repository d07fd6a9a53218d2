import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { assetIdAt, assetIndexOf } from './asset-ids.ts';

const salt = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const style = fc.constantFrom('mixed' as const, 'neighbours' as const);
const index = fc.integer({ min: -100_000, max: 999_999 });

describe('asset ids (upstream 1.3 and 6.11)', () => {
  it('lead back to the index they were made from', () => {
    fc.assert(
      fc.property(salt, style, index, (ofSalt, ofStyle, at) => {
        expect(assetIndexOf(ofSalt, ofStyle, assetIdAt(ofSalt, ofStyle, at))).toBe(at);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  it('are never found for a text the inventory did not write', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{1,20}$/));
    fc.assert(
      fc.property(salt, style, text, (ofSalt, ofStyle, assetId) => {
        const found = assetIndexOf(ofSalt, ofStyle, assetId);
        expect(found === undefined || assetIdAt(ofSalt, ofStyle, found) === assetId).toBe(true);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  it('are not in any order, and some are above 2^53', () => {
    const ids = Array.from({ length: 2_000 }, (_, at) => BigInt(assetIdAt(5, 'mixed', at)));

    const ascents = ids.filter((id, at) => at > 0 && id > (ids[at - 1] ?? 0n)).length;
    const large = ids.filter((id) => id > 2n ** 53n).length;

    expect(ascents).toBeGreaterThan(200);
    expect(ids.length - ascents).toBeGreaterThan(200);
    expect(large).toBeGreaterThan(300);
    expect(large).toBeLessThan(700);
  });

  it('are one number as doubles when they are neighbours', () => {
    const ids = Array.from({ length: 2_000 }, (_, at) => assetIdAt(5, 'neighbours', at));

    expect(new Set(ids).size).toBe(2_000);
    expect(new Set(ids.map(Number)).size).toBeLessThan(4);
    expect(ids.every((id) => BigInt(id) < 2n ** 64n)).toBe(true);
  });
});
