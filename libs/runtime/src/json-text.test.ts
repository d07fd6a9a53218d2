import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  findName,
  mendHalves,
  NotJson,
  namesOf,
  openJsonText,
  readArray,
  readObject,
  skipSpace,
  skipValue,
  textBetween,
} from './json-text.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 10_000, endOnFailure: true };

const space = fc.constantFrom('', '', '', ' ', '\n', '\r\n\t');
const piece = fc.constantFrom(
  ...['', 'a', 'ß', '😀', ', [', '}', '{"'].map((text) => JSON.stringify(text).slice(1, -1)),
  ...['\\\\', '\\"', '\\/', '\\u0061', '\\uD83D\\uDE00', '\\ud800', '\\udc00', '\\uDBFF\\n'],
);
const string = fc.array(piece, { maxLength: 3 }).map((pieces) => `"${pieces.join('')}"`);
const number = fc.constantFrom('0', '-0', '-1.50', '1E+3', '2e-7', '1e400', '18446744073709551615');
const scalar = fc.oneof(string, number, fc.constantFrom('true', 'false', 'null'));
/** Often the same ones within one object, one of them by an escape. */
const name = fc.oneof(string, fc.constantFrom('"a"', '"\\u0061"', '"b"', '""'));

/** JSON as any serialiser writes it. */
const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('list'), tie('object')),
  list: fc
    .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }))
    .map(([blank, items]) => `[${blank}${items.map((item) => item.join('')).join(',')}]`),
  object: fc
    .tuple(space, fc.array(fc.tuple(space, name, space, tie('value'), space), { maxLength: 3 }))
    .map(([blank, members]) => {
      const inner = members.map(
        ([before, key, between, item, after]) => `${before}${key}${between}:${item}${after}`,
      );
      return `{${blank}${inner.join(',')}}`;
    }),
}));

/** One character is removed, added or both. */
const edit = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 1 }),
  added: fc.constantFrom('', ...'{}[],:"\\ 0-.eux', '\u0000', '\ufeff', '\t'),
});

type Edit = typeof edit extends fc.Arbitrary<infer Made> ? Made : never;

function edited(json: string, { at, removed, added }: Edit): string {
  const index = at % (json.length + 1);
  return `${json.slice(0, index)}${added}${json.slice(index + removed)}`;
}

/** Whether the whole text is one value. */
function takes(json: string): boolean {
  const text = openJsonText(Buffer.from(json));
  try {
    const end = skipValue(text, skipSpace(text.bytes, 0));
    return skipSpace(text.bytes, end) === text.bytes.length;
  } catch (error) {
    if (error instanceof NotJson) return false;
    throw error;
  }
}

function parses(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function members(parsed: unknown): number {
  if (typeof parsed !== 'object' || parsed === null) return 0;
  const own = Array.isArray(parsed) ? 0 : Object.keys(parsed).length;
  return Object.values(parsed).reduce((sum: number, inner) => sum + members(inner), own);
}

const writtenString = /"(?:[^"\\]|\\.)*"/g;
const strings = (json: string) =>
  (json.match(writtenString) ?? []).map((written) => JSON.parse(written) as string);

/**
 * As `JSON.parse`, where no member was written that it dropped for a later one. Equal strings become
 * equal words first: V8 confuses names with escapes in objects that resemble earlier ones.
 */
function isStrict(json: string): boolean {
  if (!parses(json)) return false;
  const words = new Map<string, string>();
  const plain = json.replaceAll(writtenString, (written) => {
    const text = JSON.parse(written) as string;
    if (!words.has(text)) words.set(text, `"word ${words.size}"`);
    return words.get(text) ?? '';
  });
  return members(JSON.parse(plain)) === plain.split(':').length - 1;
}

const agrees = (takesIt: typeof takes) =>
  fc.property(value, fc.option(edit), (json, change) => {
    const changed = change ? edited(json, change) : json;
    expect(takesIt(changed)).toBe(isStrict(changed));
  });

describe('JSON text', () => {
  it('is taken exactly where JSON.parse takes it and no member is written twice', () => {
    fc.assert(agrees(takes), { numRuns: propertyRuns(5_000) });
  });

  it.each<[string, typeof takes]>([
    ['a member may be there twice', parses],
    ['a number may begin with 0', (json) => takes(json.replaceAll(/(?<=[,:[]\s*)0+(?=\d)/g, ''))],
  ])('is found wrong when %s', (_fault, planted) => {
    expect(fc.check(agrees(planted), faultRuns).failed).toBe(true);
  });

  it('is read whatever its bytes are, without another error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), value, fc.nat(), (bytes, json, at) => {
        const known = Buffer.from(json);
        const text = Buffer.concat([known.subarray(0, at % known.length), bytes]);
        expect([true, false]).toContain(takes(text.toString('latin1')));
        const read = () => skipValue(openJsonText(text), 0);
        try {
          expect(read()).toBeLessThanOrEqual(text.length);
        } catch (error) {
          expect(error).toBeInstanceOf(NotJson);
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it('has U+FFFD for each half of a character once it is mended', () => {
    fc.assert(
      fc.property(value.filter(isStrict), (json) => {
        const text = openJsonText(Buffer.from(json));
        skipValue(text, 0);
        mendHalves(text);

        const mended = strings(text.bytes.toString());
        expect(mended).toEqual(strings(json).map((each) => each.toWellFormed()));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
    ['both', '[{"a":', '}]'],
  ])('is at most 64 levels deep, of %s', (_what, open, close) => {
    const levels = open.includes('[{') ? 32 : 64;
    const nested = (times: number) => `${open.repeat(times)}0${close.repeat(times)}`;

    expect(takes(nested(levels))).toBe(true);
    expect(takes(`[${nested(levels - 1)},${nested(levels - 1)}]`)).toBe(true);
    expect(takes(nested(levels + 1))).toBe(false);
    expect(takes(nested(1_000_000))).toBe(false);
  });

  it('names a member twice however many there are', () => {
    const named = (names: readonly string[]) => `{${names.map((each) => `"${each}":0`).join()}}`;
    const many = Array.from({ length: 50_000 }, (_, at) => `n${at}`);

    expect(takes(named(many))).toBe(true);
    for (const at of [0, 31, 32, 49_999]) {
      expect(takes(named([...many, `n${at}`]))).toBe(false);
      expect(takes(named([...many, `\\u006e${at}`]))).toBe(false);
    }
  });

  it('has names that are found however they are written', () => {
    const names = namesOf(['b', 'a', 'ß', '']);
    const find = (written: string) => {
      const text = openJsonText(Buffer.from(`{"${written}":0}`));
      let found: number | undefined;
      readObject(text, 0, (start, end, value) => {
        found = findName(text, start, end, names);
        return skipValue(text, value);
      });
      return found;
    };

    expect(['a', '\\u0061', 'ß', '\\u00DF', '', 'c', 'ab', '\\n'].map(find)).toEqual([
      1, 1, 2, 2, 3, -1, -1, -1,
    ]);
  });

  it('is visited by members and elements, in place', () => {
    const text = openJsonText(Buffer.from(' { "a" : [ 1 , {"\\u0062":2} ] , "ß":"x\\n"} '));
    const seen: string[] = [];
    const take = (start: number) => {
      const end = skipValue(text, start);
      seen.push(text.bytes.toString('utf8', start, end));
      return end;
    };
    const end = readObject(text, skipSpace(text.bytes, 0), (nameStart, nameEnd, start) => {
      seen.push(textBetween(text.bytes, nameStart, nameEnd));
      return seen.length === 1 ? readArray(text, start, take) : take(start);
    });

    expect(seen).toEqual(['a', '1', '{"\\u0062":2}', 'ß', '"x\\n"']);
    expect(skipSpace(text.bytes, end)).toBe(text.bytes.length);
  });
});
