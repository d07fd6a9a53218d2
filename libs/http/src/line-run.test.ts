import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  createLineBuffer,
  joinLines,
  type LineRun,
  type RunTexts,
  writeLineRun,
} from './line-run.ts';

interface Row {
  readonly asset: string;
  readonly description: number;
}

const anyText = fc.string({ minLength: 1, unit: 'grapheme' });
/** Empty texts are descriptions that are missing. */
const anyRun = fc
  .array(fc.oneof(anyText, fc.constant('')), { minLength: 1 })
  .chain((descriptions) =>
    fc.record({
      descriptions: fc.constant(descriptions),
      rows: fc.array(fc.record({ asset: anyText, description: fc.nat(descriptions.length - 1) })),
    }),
  );

function runOf(rows: readonly Row[], descriptions: readonly string[]): LineRun {
  return {
    assets: textsOf(rows.map(({ asset }) => asset)),
    descriptions: textsOf(descriptions),
    descriptionOf: Uint16Array.from(rows, ({ description }) => description),
  };
}

function textsOf(texts: readonly string[]): RunTexts {
  return {
    pieces: [Buffer.from(texts.filter((text) => text !== '').join(','))],
    lengths: Uint32Array.from(texts, (text) => Buffer.byteLength(text)),
  };
}

/** Each piece is copied before the next one is taken. */
const linesOf = (bytes: readonly Buffer[], buffer = createLineBuffer()) =>
  Buffer.concat(Array.from(joinLines(bytes, 'ndjson', buffer), (piece) => Buffer.from(piece)));

/** Bytes as they may arrive. */
function cut(bytes: Buffer, at: number): Buffer[] {
  const middle = at % (bytes.length + 1);
  return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

test('a run, cut anywhere on its way, is joined to one line for each asset, in a buffer of any size (Export) [export]', () => {
  fc.assert(
    fc.property(anyRun, fc.nat(), fc.nat(200), ({ rows, descriptions }, at, size) => {
      const bytes = Buffer.concat(writeLineRun(runOf(rows, descriptions)));
      const lines = rows.map(
        ({ asset, description }) =>
          `{"asset":${asset},"description":${descriptions[description] || 'null'}}\n`,
      );

      expect(linesOf(cut(bytes, at), Buffer.alloc(size)).toString()).toBe(lines.join(''));
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('a run that is not whole, or names a description that it has not, is refused', () => {
  const bytes = Buffer.concat(writeLineRun(runOf([{ asset: '1', description: 0 }], ['2'])));
  const foreign = Buffer.concat(writeLineRun(runOf([{ asset: '1', description: 1 }], ['2'])));

  for (let length = 0; length < bytes.length; length += 1) {
    expect(() => linesOf([bytes.subarray(0, length)])).toThrow();
  }
  expect(() => linesOf([bytes, Buffer.of(0)])).toThrow();
  expect(() => linesOf([foreign])).toThrow();
});
