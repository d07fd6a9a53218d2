import { contentCodings } from '@inventory/contracts/vocabulary';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { unpackers } from '@inventory/testkit/unpackers';
import fc from 'fast-check';
import { packBeginning, packEnd, packWhole } from './packed-body.ts';

const text = fc
  .tuple(fc.string(), fc.nat(2_000))
  .map(([part, times]) => Buffer.from(`[${part.repeat(times)}`));
const anyBytes = fc
  .uint8Array({ minLength: 1, maxLength: 70_000 })
  .map((bytes) => Buffer.from(bytes));
const end = fc
  .oneof(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.constant(new Uint8Array(65_535)))
  .map((bytes) => Buffer.from(bytes));

test.each(contentCodings)(
  'a body packed in %s at its beginning, with any end, is that body (Compression)',
  async (coding) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, anyBytes), end, async (raw, after) => {
        const beginning = await packBeginning(coding, raw);
        const packed = Buffer.concat([beginning.bytes, packEnd(beginning, after)]);

        expect(unpackers[coding](packed).equals(Buffer.concat([raw, after]))).toBe(true);
      }),
      { numRuns: propertyRuns(60) },
    );
  },
);

test.each(contentCodings)('one beginning takes any number of ends in %s', async (coding) => {
  const beginning = await packBeginning(coding, Buffer.from('[1,2,3'));
  for (const after of [']', ',4]', `,${'5'.repeat(9_000)}]`]) {
    const packed = Buffer.concat([beginning.bytes, packEnd(beginning, Buffer.from(after))]);
    expect(unpackers[coding](packed).toString()).toBe(`[1,2,3${after}`);
  }
});

test.each(contentCodings)('an end that fits into no block is refused in %s', async (coding) => {
  const beginning = await packBeginning(coding, Buffer.from('x'));
  expect(() => packEnd(beginning, Buffer.alloc(65_536))).toThrow(RangeError);
  expect(() => packEnd(beginning, Buffer.alloc(0))).toThrow(RangeError);
});

test.each(contentCodings)('a whole body packed in %s is that body', async (coding) => {
  const raw = Buffer.from(JSON.stringify(Array(5_000).fill({ assetid: '1' })));
  expect(unpackers[coding](await packWhole[coding](raw)).equals(raw)).toBe(true);
});
