import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { locateRows, type PageRows, type TextSpan } from './page-text.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 10_000, endOnFailure: true };

type Locate = (bytes: Buffer) => PageRows | null;

const space = fc.constantFrom('', '', ' ', '\n', '\r\n\t');
const text = fc.constantFrom('', 'a', 'ß", [', '\\', '}', '\u2028', '{"', ']');
const scalar = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom('0', '-1.50', '1e3', '18446744073709551615', 'true', 'null'),
);

const member = (value: fc.Arbitrary<string>) => fc.tuple(space, text, space, value, space);

/** JSON of another serialiser: blanks anywhere, numbers unchanged. */
const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('object')),
  list: fc
    .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }))
    .map(([blank, items]) => `[${blank}${items.map((item) => item.join('')).join(',')}]`),
  object: fc
    .tuple(
      space,
      fc.uniqueArray(member(tie('value')), { maxLength: 3, selector: ([, name]) => name }),
    )
    .map(([blank, members]) => {
      const inner = members.map(
        ([before, name, between, item, after]) =>
          `${before}${JSON.stringify(name)}${between}:${item}${after}`,
      );
      return `{${blank}${inner.join(',')}}`;
    }),
}));

interface WrittenPage {
  readonly text: string;
  readonly assets: readonly string[];
  readonly descriptions: readonly string[];
}

const rows = fc.array(fc.tuple(space, value, space), { maxLength: 4 });
const other = fc.option(fc.tuple(fc.constantFrom('total', 'asset'), value));

const page: fc.Arbitrary<WrittenPage> = fc
  .tuple(rows, rows, other, space, fc.boolean())
  .map(([assets, descriptions, extra, blank, isAssetsFirst]) => {
    const list = (items: typeof assets) =>
      `[${blank}${items.map((row) => row.join('')).join(',')}]`;
    const members = [
      `"assets"${blank}:${blank}${list(assets)}`,
      `${blank}"descriptions":${list(descriptions)}${blank}`,
    ];
    if (!isAssetsFirst) members.reverse();
    if (extra) members.splice(1, 0, `${JSON.stringify(extra[0])}:${extra[1]}`);
    return {
      text: `${blank}{${members.join(',')}}${blank}`,
      assets: assets.map(([, row]) => row),
      descriptions: descriptions.map(([, row]) => row),
    };
  });

const textOf = (bytes: Buffer, { start, end }: TextSpan) => bytes.toString('utf8', start, end);

function findsEveryRow(locate: Locate) {
  return fc.property(page, (written) => {
    const bytes = Buffer.from(written.text);
    const found = locate(bytes);

    expect(found?.assets.map((span) => textOf(bytes, span))).toEqual(written.assets);
    expect(found?.descriptions.map((span) => textOf(bytes, span))).toEqual(written.descriptions);
  });
}

describe('The rows of a staged page', () => {
  it('are found with exactly the text they were staged with', () => {
    fc.assert(findsEveryRow(locateRows), { numRuns: propertyRuns(2_000) });
  });

  it('are read with the members that the assembly needs, as any JSON parser reads them', () => {
    const scalars = fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), fc.json());
    const names = fc.constantFrom('appid', 'classid', 'instanceid', 'assetid', 'amount');
    const members = fc.dictionary(names, scalars);
    const read = fc.property(fc.array(members), (written) => {
      const bytes = Buffer.from(JSON.stringify({ assets: written, descriptions: [] }));
      const parsed = JSON.parse(bytes.toString()) as { assets: unknown[] };

      const found = locateRows(bytes)?.assets.map(({ value }) => value);

      expect(found).toEqual(parsed.assets.map((row) => ({ ...(row as object) })));
    });
    fc.assert(read, { numRuns: propertyRuns(1_000) });
  });

  it('are found wrong when brackets inside strings count', () => {
    const planted: Locate = (bytes) =>
      locateRows(Buffer.from(bytes.toString().replaceAll('"ß\\", ["', '[[[[[[[[')));
    const outcome = fc.check(findsEveryRow(planted), faultRuns);

    expect(outcome.failed).toBe(true);
    expect(String(outcome.errorInstance)).toContain('expect(');
  });

  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['one list', '{"assets":[]}'],
    ['a list twice', '{"assets":[],"descriptions":[],"assets":[]}'],
    ['no list', '{"assets":{},"descriptions":[]}'],
    ['what is followed by more', '{"assets":[],"descriptions":[]} x'],
    ['a row with a member twice', '{"assets":[{"a":1,"a":1}],"descriptions":[]}'],
    ['something else that is no JSON', '{"assets":[],"descriptions":[],"total":01}'],
    ['an unfinished string', '{"assets":["'],
    ['an unfinished escape', '{"assets":["\\'],
    ['a comma too many', '{"assets":[1,],"descriptions":[]}'],
  ])('are not located in %s', (_what, json) => {
    expect(locateRows(Buffer.from(json))).toBeNull();
  });
});
