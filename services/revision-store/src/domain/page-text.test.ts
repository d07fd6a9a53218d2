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

/** JSON of another serialiser: blanks anywhere, numbers unchanged. */
const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('object')),
  list: fc
    .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }))
    .map(([blank, items]) => `[${blank}${items.map((item) => item.join('')).join(',')}]`),
  object: fc
    .tuple(space, fc.array(fc.tuple(space, text, space, tie('value'), space), { maxLength: 3 }))
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

/** A page that lost, gained or changed one character: taken as one exactly when it still is one. */
function takesNothingElse(locate: Locate) {
  const edit = fc.record({
    at: fc.nat(),
    removed: fc.nat({ max: 1 }),
    added: fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', ' ', '1', 'x'),
  });
  return fc.property(page, edit, ({ text: written }, { at, removed, added }) => {
    const place = at % (written.length + 1);
    const edited = `${written.slice(0, place)}${added}${written.slice(place + removed)}`;
    const bytes = Buffer.from(edited);
    const found = locate(bytes);
    const spans = found ? [...found.assets, ...found.descriptions, ...found.others] : [];

    const isTaken = found !== null && spans.every((span) => parses(textOf(bytes, span)));

    expect(isTaken).toBe(isPage(edited));
  });
}

function parses(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function isPage(json: string): boolean {
  if (!parses(json)) return false;
  const parsed: unknown = JSON.parse(json);
  const { assets, descriptions } = (parsed ?? {}) as Record<string, unknown>;
  return !Array.isArray(parsed) && Array.isArray(assets) && Array.isArray(descriptions);
}

/** What finding rows by regular means would get wrong. */
const planted: Record<string, Locate> = {
  'brackets inside strings count': (bytes) => {
    const bare = bytes.toString().replaceAll('"ß\\", ["', '[[[[[[[[');
    return locateRows(Buffer.from(bare));
  },
  'the last row is lost': (bytes) => {
    const found = locateRows(bytes);
    return found && { ...found, assets: found.assets.slice(0, -1) };
  },
  'blanks around a row are taken along': (bytes) => {
    const found = locateRows(bytes);
    const wider = found?.assets.map(({ start, end }) => ({ start: start - 1, end }));
    return found && { ...found, assets: wider ?? [] };
  },
  'what follows the page is ignored': (bytes) =>
    locateRows(bytes.subarray(0, bytes.toString('latin1').lastIndexOf('}') + 1)),
  'what a page has besides is not checked': (bytes) => {
    const found = locateRows(bytes);
    return found && { ...found, others: [] };
  },
};

describe('The rows of a staged page', () => {
  it('are found with exactly the text they were staged with', () => {
    fc.assert(findsEveryRow(locateRows), { numRuns: propertyRuns(2_000) });
  });

  it('are found in JSON with the two lists and in nothing else', () => {
    fc.assert(takesNothingElse(locateRows), { numRuns: propertyRuns(2_000) });
  });

  it.each<[string, (locate: Locate) => fc.IProperty<unknown>]>([
    ['brackets inside strings count', findsEveryRow as never],
    ['the last row is lost', findsEveryRow as never],
    ['blanks around a row are taken along', findsEveryRow as never],
    ['what follows the page is ignored', takesNothingElse as never],
    ['what a page has besides is not checked', takesNothingElse as never],
  ])('is caught when %s', (fault, property) => {
    const outcome = fc.check(property(planted[fault] as Locate), faultRuns);

    expect(outcome.failed).toBe(true);
    expect(String(outcome.errorInstance)).toContain('expect(');
  });

  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['one list', '{"assets":[]}'],
    ['a list twice', '{"assets":[],"descriptions":[],"assets":[]}'],
    ['no list', '{"assets":{},"descriptions":[]}'],
    ['an unfinished string', '{"assets":["'],
    ['an unfinished escape', '{"assets":["\\'],
    ['a comma too many', '{"assets":[1,],"descriptions":[]}'],
  ])('are not looked for in %s', (_what, json) => {
    expect(locateRows(Buffer.from(json))).toBeNull();
  });
});
