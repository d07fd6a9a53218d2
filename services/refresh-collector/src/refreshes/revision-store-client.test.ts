import type { StagedAsset, StagedDescription } from '@inventory/contracts/staged-rows';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { stagedText } from './revision-store-client.ts';

const name = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }));
const asset: fc.Arbitrary<StagedAsset> = name.map((odd) => ({
  appid: 730,
  contextid: '2',
  assetid: '1',
  classid: '2',
  instanceid: '0',
  amount: '1',
  odd,
}));
const description: fc.Arbitrary<StagedDescription> = name.map((odd) => ({
  appid: 730,
  classid: '2',
  instanceid: '0',
  odd,
}));
const rows = fc.record({
  assets: fc.array(asset, { maxLength: 4 }),
  descriptions: fc.array(description, { maxLength: 4 }),
});

test('a page is staged as its JSON, and not at all where that has too many bytes', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: -2, max: 2 }), (page, beside) => {
      const { assets, descriptions } = page;
      const whole = JSON.stringify({ assets, descriptions });
      const bytesMax = Buffer.byteLength(whole) + beside;

      expect(stagedText(page, bytesMax)?.toString()).toBe(beside < 0 ? undefined : whole);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a page that grows as it is written ends at the limit, row by row', () => {
  let written = 0;
  const counted = {
    toJSON: () => {
      written += 1;
      return 'x'.repeat(1_000);
    },
  };
  const assets = Array.from({ length: 1_000 }, () => counted as unknown as StagedAsset);

  expect(stagedText({ assets, descriptions: [] }, 10_000)).toBeNull();
  expect(written).toBe(10);
});
