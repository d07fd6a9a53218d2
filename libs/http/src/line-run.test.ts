import { pack } from '@inventory/runtime/packed-bytes';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createLineJoiner, type LineRun, type RunTexts, writeLineRun } from './line-run.ts';

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

async function runOf(
  rows: readonly Row[],
  descriptions: readonly string[],
  { isPacked = false, firstRow = 0 } = {},
): Promise<LineRun> {
  return {
    assets: await textsOf(
      rows.map(({ asset }) => asset),
      isPacked,
    ),
    descriptions: await textsOf(descriptions, isPacked),
    descriptionOf: Uint16Array.from(rows, ({ description }) => description),
    firstRow,
  };
}

async function textsOf(texts: readonly string[], isPacked: boolean): Promise<RunTexts> {
  const bytes = Buffer.from(texts.filter((text) => text !== '').join(','));
  return {
    bytes: isPacked ? await pack(bytes) : [bytes],
    lengths: Uint32Array.from(texts, (text) => Buffer.byteLength(text)),
  };
}

/** Each piece is copied before the next one is taken. */
const linesOf = (bytes: readonly Buffer[], join = createLineJoiner('ndjson')) =>
  Buffer.concat(Array.from(join(bytes), (piece) => Buffer.from(piece)));

/** Bytes as they may arrive. */
function cut(bytes: Buffer, at: number): Buffer[] {
  const middle = at % (bytes.length + 1);
  return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

test('runs, packed or not and cut anywhere on their way, are joined to one line for each asset from any on, in a buffer of any size (Export) [export]', async () => {
  const anySent = fc.record({ run: anyRun, isPacked: fc.boolean(), at: fc.nat(), from: fc.nat() });
  await fc.assert(
    fc.asyncProperty(fc.array(anySent, { maxLength: 3 }), fc.nat(200), async (sent, size) => {
      const join = createLineJoiner('ndjson', size);
      for (const { run, isPacked, at, from } of sent) {
        const { rows, descriptions } = run;
        const firstRow = from % (rows.length + 1);
        const bytes = writeLineRun(await runOf(rows, descriptions, { isPacked, firstRow }));
        const lines = rows.map(
          ({ asset, description }) =>
            `{"asset":${asset},"description":${descriptions[description] || 'null'}}\n`,
        );

        const joined = linesOf(cut(Buffer.concat(bytes), at), join);

        expect(joined.toString()).toBe(lines.slice(firstRow).join(''));
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('lines stay one line each where JSON is broken between its tokens, packed or not (Export) [export]', async () => {
  const rows = [{ asset: '{\r\n "assetid" : "1",\n"n": 1e400 }', description: 0 }];
  for (const isPacked of [false, true]) {
    expect(linesOf(writeLineRun(await runOf(rows, ['{\n}'], { isPacked }))).toString()).toBe(
      '{"asset":{   "assetid" : "1", "n": 1e400 },"description":{ }}\n',
    );
  }
});

test.each([false, true])(
  'a run that is not whole, or names a description that it has not, is refused: packed %s',
  async (isPacked) => {
    const rows = (description: number) => [{ asset: '1', description }];
    const bytes = Buffer.concat(writeLineRun(await runOf(rows(0), ['2'], { isPacked })));
    const foreign = Buffer.concat(writeLineRun(await runOf(rows(1), ['2'], { isPacked })));

    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => linesOf([bytes.subarray(0, length)])).toThrow();
    }
    expect(() => linesOf([bytes, Buffer.of(0)])).toThrow();
    expect(() => linesOf([foreign])).toThrow();
  },
);
