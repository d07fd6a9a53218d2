import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  cutByBytes,
  joinTexts,
  keepTexts,
  openTexts,
  partEnd,
  pickFromParts,
  putText,
  sliceParts,
  type TextPart,
} from './joined-texts.ts';

const mebibyte = 1024 * 1024;
const partBytesMax = 4 * mebibyte;

/** The texts of a block of at most 2,000 rows: missing, usual, and up to a whole staged page. */
const length = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 2_000 }) },
  { weight: 3, arbitrary: fc.integer({ min: 7_000, max: 9_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 12 * mebibyte }) },
);
const lengths = fc
  .array(length, { maxLength: 300 })
  .chain((some) => fc.constantFrom(1, 5).map((times) => Array(times).fill(some).flat()))
  .map((all) => Uint32Array.from(all));

const joinedBytes = (of: Uint32Array) =>
  of.reduce((sum, bytes) => sum + bytes, 0) + Math.max(0, of.filter(Boolean).length - 1);

describe('Blocks of a revision (Everything is bounded)', () => {
  it('are cut into documents by their bytes, each as full as it may be, none empty', () => {
    fc.assert(
      fc.property(lengths, (all) => {
        const starts = cutByBytes(all, partBytesMax);

        expect(starts[0]).toBe(0);
        for (const [part, from] of starts.entries()) {
          const to = partEnd(starts, part, all.length);
          const own = all.subarray(from, to);
          expect(to > from || all.length === 0).toBe(true);
          if (own.filter(Boolean).length > 1) expect(joinedBytes(own)).toBeLessThan(partBytesMax);
          if (to === all.length) continue;
          expect(joinedBytes(all.subarray(from, to + 1))).toBeGreaterThanOrEqual(partBytesMax);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('of 2,000 assets with 7 KB of text each are four documents', () => {
    expect(cutByBytes(new Uint32Array(2_000).fill(7_168), partBytesMax)).toHaveLength(4);
  });

  it('of usual texts are one document', () => {
    expect(cutByBytes(new Uint32Array(2_000).fill(1_000), partBytesMax)).toEqual([0]);
    expect(cutByBytes(new Uint32Array(), partBytesMax)).toEqual([0]);
  });
});

const texts = fc.array(fc.option(fc.stringMatching(/^[a-z"]{1,6}$/), { nil: undefined }), {
  maxLength: 12,
});
const bufferOf = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));

function inParts(all: readonly (string | undefined)[], bytesMax: number): TextPart[] {
  const joined = joinTexts(all.map(bufferOf));
  const starts = cutByBytes(joined.lengths, bytesMax);
  return starts.map((from, part) => ({
    from,
    joined: joinTexts(all.slice(from, partEnd(starts, part, all.length)).map(bufferOf)),
  }));
}

test('parts give what one piece gives, also when they keep the wanted texts alone', () => {
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 1, max: 20 }),
      fc.nat(12),
      fc.nat(12),
      (all, bytesMax, one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const wanted = (row: number) => row >= from && row < to;
        const kept = inParts(all, bytesMax).map((part) => ({
          ...part,
          joined: keepTexts(part.joined, (row) => wanted(part.from + row)),
        }));

        for (const parts of [inParts(all, bytesMax), kept]) {
          for (const pieces of [sliceParts(parts, from, to), pickFromParts(parts, wanted)]) {
            const given = pieces.map(String).filter(Boolean).join(',');
            expect(given).toBe(all.slice(from, to).filter(Boolean).join(','));
          }
        }
      },
    ),
    { numRuns: propertyRuns(1_000) },
  );
});

test('texts that are put in one by one, in any order, are joined as at once', () => {
  fc.assert(
    fc.property(texts, fc.infiniteStream(fc.nat()), (all, order) => {
      const whole = joinTexts(all.map(bufferOf));
      const open = openTexts(whole.lengths);
      const rows = all.flatMap((text, row) =>
        text === undefined ? [] : { text, row, turn: order.next().value as number },
      );

      for (const { text, row } of rows.toSorted((left, right) => left.turn - right.turn)) {
        expect(putText(open, row, Buffer.from(`[${text}]`), 1)).toBe(true);
      }

      expect(String(open.bytes)).toBe(String(whole.bytes));
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('a text that is not all there is noticed (Complete)', () => {
  const open = openTexts(Uint32Array.of(3));

  expect(putText(open, 0, Buffer.from('12'), 0)).toBe(false);
});
