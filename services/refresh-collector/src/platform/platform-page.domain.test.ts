import { stagedPage } from '@inventory/contracts/internal/inventory';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  firstAssets,
  type PlatformPage,
  pageMembers,
  pageText,
  readPlatformPage,
} from './platform-page.domain.ts';

const row = {
  appid: 730,
  contextid: '2',
  assetid: '5',
  classid: '501',
  instanceid: '7',
  amount: '1',
};
const text = { appid: 730, classid: '501', instanceid: '7', name: 'Sim Blade', tradable: 1 };
const rowText = JSON.stringify(row);
const body = (fields: object) => ({
  success: 1,
  total_inventory_count: 1,
  assets: [row],
  descriptions: [text],
  ...fields,
});

const read = (page: object | string): PlatformPage | null =>
  readPlatformPage(Buffer.from(typeof page === 'string' ? page : JSON.stringify(page)));

/** The rows of a page as they are staged, by the contract; the text of all of them. */
function rowsOf(page: PlatformPage | null, form: Parameters<typeof pageMembers>[1]) {
  if (!page) throw new Error('no page');
  const written = `{${Buffer.concat(pageMembers(page, form))}}`;
  const { assets, descriptions } = stagedPage.parse(JSON.parse(written));
  return { assets, descriptions, written };
}
const shown = (page: object | string) => rowsOf(read(page), 'with_properties');
const shownInV1 = (page: object | string) => rowsOf(read(page), 'without_properties');

describe('rows of a page', () => {
  it('pass fields of assets and descriptions through, unknown ones too (Reads: platform fields) [platform-fields]', () => {
    const assets = [{ ...row, est_usd: 12, missing: [null, { a: 'ß😀' }] }];
    const descriptions = [{ ...text, new_field: { a: 1 } }];

    expect(shown(body({ assets, descriptions }))).toMatchObject({ assets, descriptions });
  });

  it.each([
    '12345678901234567890',
    '1e400',
    '-0.10',
    '1E-7',
    '0.1250000000000000055511151231257827',
  ])('keep the digits of %s as they were sent (Reads: digits) [platform-text]', (digits) => {
    const asset = `{"est_usd":${digits},${rowText.slice(1)}`;
    const description = `{"appid":730,"classid":"9","v":[{"w":${digits}}]}`;

    const { written } = shown(
      `{"success":1,"total_inventory_count":1,"assets":[${asset}],"descriptions":[${description}]}`,
    );

    expect(written).toContain(`{"assets":[${asset}],`);
    expect(written).toContain(`"v":[{"w":${digits}}]`);
  });

  it.each(['9007199254740993', '18446744073709551615', '99999999999999999999', '7'])(
    'have ids as strings, of a number as of %s without losing a digit (upstream 6.11) [platform-text]',
    (digits) => {
      for (const id of [digits, `"${digits}"`, `"\\u003${digits[0]}${digits.slice(1)}"`]) {
        const ids = ['contextid', 'assetid', 'classid', 'instanceid', 'amount', 'currencyid'];
        const asset = `{"appid":730,${ids.map((name) => `"${name}":${id}`).join()}}`;
        const description = `{"appid":730,"classid":${id},"instanceid":${id}}`;
        const { assets, descriptions } = shown(
          `{"success":1,"total_inventory_count":1,"last_assetid":${id},"assets":[${asset}],"descriptions":[${description}]}`,
        );

        expect(assets).toEqual([
          { appid: 730, ...Object.fromEntries(ids.map((name) => [name, digits])) },
        ]);
        expect(descriptions).toEqual([{ appid: 730, classid: digits, instanceid: digits }]);
      }
    },
  );

  it.each([
    ['1.0', '1'],
    ['1.00', '1'],
    ['1e0', '1'],
    ['0.10E+2', '10'],
    ['120e-1', '12'],
    ['"1.0"', '1'],
    ['"12.00"', '12'],
    ['9007199254740993.0', '9007199254740993'],
    ['1.8446744073709551615e19', '18446744073709551615'],
    ['0.0', '0'],
    ['-0', '0'],
  ])(
    'have %s as the number that it is, %s, in every id and amount (Numbers) [platform-text]',
    (sent, digits) => {
      const ids = ['contextid', 'assetid', 'classid', 'instanceid', 'amount'];
      const members = ids.map((name) => `"${name}":${sent}`).join();
      const page = shown(
        `{"success":1,"total_inventory_count":1,"assets":[{"appid":730.0,${members}}],"descriptions":[{"appid":7.3e2,"classid":${sent},"instanceid":${sent}}]}`,
      );

      expect(page.assets).toEqual([
        { appid: 730, ...Object.fromEntries(ids.map((name) => [name, digits])) },
      ]);
      expect(page.descriptions).toEqual([{ appid: 730, classid: digits, instanceid: digits }]);
    },
  );

  it.each([undefined, null, ''])('have lists given as %p, empty (upstream 6.12)', (empty) => {
    const page = shown(
      body({ assets: empty, descriptions: [{ ...text, tags: empty, actions: '' }] }),
    );
    expect(page.assets).toEqual([]);
    expect(page.descriptions[0]).toMatchObject({ actions: [] });
    expect(page.descriptions[0]?.['tags']).toEqual(empty === undefined ? undefined : []);
  });

  it.each(['missing', null, '', 'x', -1, 1.5, {}])(
    'have instanceid "0" on both sides of the join where it is %p (upstream 1.1) [platform-fields]',
    (instanceid) => {
      const { instanceid: _a, ...bareRow } = row;
      const { instanceid: _b, ...bareText } = text;
      const odd = instanceid === 'missing' ? {} : { instanceid };
      const assets = [{ ...bareRow, ...odd }];
      const page = shown(body({ assets, descriptions: [{ ...bareText, ...odd }] }));
      expect(page.assets).toEqual([{ ...row, instanceid: '0' }]);
      expect(page.descriptions).toEqual([{ ...text, instanceid: '0' }]);
    },
  );

  it.each([undefined, null, ''])(
    'give a currency row its currencyid as assetid and keep both, where that is %p (Reads: currency row) [platform-fields]',
    (assetid) => {
      const currency = { ...row, assetid, currencyid: '9' };
      expect(shown(body({ assets: [currency] })).assets).toEqual([{ ...currency, assetid: '9' }]);
    },
  );

  it('lose the asset id of a description, so that merging it over an asset changes nothing (upstream 6.13)', () => {
    const carrying = { assetid: '999', ...text };
    expect(shown(body({ descriptions: [carrying] })).descriptions).toEqual([text]);
  });

  it('have two descriptions of one pair as one, the later (Reads: two descriptions)', () => {
    const other = { ...text, instanceid: '8' };
    const descriptions = [text, other, { ...text, instanceid: 7, name: 'Later' }];
    const later = [{ ...text, name: 'Later' }, other];
    expect(shown(body({ descriptions })).descriptions).toEqual(later);
  });

  it('have an asset that is there twice once, at its first position, as its last row says (upstream 6.9)', () => {
    const rows = [row, { ...row, assetid: '6' }, { ...row, amount: '3' }];
    expect(shown(body({ assets: rows })).assets).toEqual([rows[2], rows[1]]);
  });
});

describe('properties of assets', () => {
  const properties = [{ propertyid: 2, float_value: '0.1250000' }];
  const block = { appid: 730, contextid: '2', assetid: '5', asset_properties: properties };
  const other = { ...row, assetid: '6' };

  it('are inside the asset, in V2 alone, and in no other (Reads: asset_properties) [platform-fields]', () => {
    const accessories = [{ classid: '7' }];
    const asset_properties = [{ ...block, asset_accessories: accessories }];
    const page = body({ assets: [row, other], asset_properties });

    const extended = { ...row, asset_properties: properties, asset_accessories: accessories };
    expect(shown(page).assets).toEqual([extended, other]);
    expect(shownInV1(page).assets).toEqual([row, other]);
  });

  it('are inside a currency row too', () => {
    const { assetid, ...bare } = row;
    const page = body({ assets: [{ ...bare, currencyid: assetid }], asset_properties: [block] });
    expect(shown(page).assets).toMatchObject([{ assetid, asset_properties: properties }]);
  });

  it('stay where the platform puts them into the asset itself', () => {
    const own = { asset_properties: properties, ...row };
    expect(shown(body({ assets: [own] })).assets).toEqual([own]);
    expect(shownInV1(body({ assets: [own] })).assets).toEqual([row]);
  });

  it('are empty where their list is null or ""', () => {
    for (const list of [null, '']) {
      const page = body({ asset_properties: [{ ...block, asset_properties: list }] });
      expect(shown(page).assets).toEqual([{ ...row, asset_properties: [] }]);
    }
  });

  it('are left out where their list is of unknown shape, and lack what is no property', () => {
    for (const list of [{}, 'x', 5, true]) {
      const page = body({ asset_properties: [{ ...block, asset_properties: list }] });
      expect(shown(page).assets).toEqual([row]);
    }
    const asset_properties = [null, properties[0], 'x', [], properties[0]];
    const page = body({ asset_properties: [{ ...block, asset_properties }] });
    const twice = [properties[0], properties[0]];
    expect(shown(page).assets).toEqual([{ ...row, asset_properties: twice }]);
  });

  it('are never more than was sent: one block is in one asset', () => {
    const assets = Array.from({ length: 100 }, (_, at) => ({ ...row, contextid: String(at + 1) }));
    const sent = Buffer.from(JSON.stringify(body({ assets, asset_properties: [block] })));
    const page = readPlatformPage(sent);
    expect(page?.assets).toHaveLength(100);
    expect(rowsOf(page, 'with_properties').written.length).toBeLessThan(sent.length);
  });
});

/** Rows in any formatting, with digits of their own; some have an id that has to be changed. */
const blank = fc.constantFrom('', '', '', ' ', '\n\t');
const oddMembers = fc.constantFrom(
  '',
  '"est_usd":1e400,',
  '"x":{"y":[0.10,{"id":99999999999999999999}]},',
);
const written = fc.array(
  fc.record({
    odd: oddMembers,
    instance: fc.constantFrom('"7"', '"7"', '"7"', '7', 'null'),
    hasProperties: fc.boolean(),
    before: blank,
    inside: blank,
  }),
  { minLength: 1, maxLength: 8 },
);
interface SentPage {
  readonly json: string;
  /** Rows whose text nothing has to change. */
  readonly kept: readonly string[];
}
const sentPage = fc.tuple(written, blank).map(([given, around]): SentPage => {
  const assetOf = ({ odd, instance, inside }: (typeof given)[number], at: number) =>
    `{${odd}"appid":730,${inside}"contextid":"2","assetid":"${at}","classid":"${at}","instanceid":${instance},"amount":"1"}`;
  const texts = given.map(
    ({ odd, inside }, at) => `{${odd}"appid":730,"classid":"${at}"${inside},"instanceid":"7"}`,
  );
  const lists = (rows: readonly string[]) =>
    rows.map((each, at) => `${given[at]?.before}${each}`).join(`${around},`);
  const blocks = given.flatMap(({ hasProperties, odd }, at) =>
    hasProperties ? `{"assetid":"${at}","asset_properties":[{${odd}"propertyid":2}]}` : [],
  );
  const assets = given.map(assetOf);
  return {
    json: `{"success":1,${around}"assets":[${lists(assets)}],"total_inventory_count":9,"descriptions":[${lists(texts)}${around}],"asset_properties":[${blocks}]}`,
    kept: [...assets.filter((_, at) => given[at]?.instance === '"7"'), ...texts],
  };
});

/** A direct implementation of the rules, of parsed values. */
function reference(json: string, form: Parameters<typeof pageMembers>[1]) {
  const { assets, descriptions, asset_properties: blocks } = JSON.parse(json);
  type Given = { readonly assetid: string; readonly instanceid: unknown };
  return {
    assets: (assets as Given[]).map(({ instanceid, ...rest }) => ({
      ...rest,
      instanceid: String(instanceid ?? 0),
      ...(form === 'with_properties'
        ? { ...(blocks as Given[]).find(({ assetid }) => assetid === rest.assetid) }
        : {}),
    })),
    descriptions,
  };
}

const servesItsValue = (write: typeof pageMembers) =>
  fc.property(sentPage, fc.constantFrom('with_properties', 'without_properties'), (sent, form) => {
    const page = read(sent.json);
    if (!page) throw new Error('no page');
    const text = `{${Buffer.concat(write(page, form))}}`;
    expect(JSON.parse(text)).toEqual(reference(sent.json, form));
    expect(`{${Buffer.concat(write(page, 'with_properties'))}}`).toBe(String(pageText(page)));
    // With the last brace another member may begin.
    for (const row of sent.kept) expect(text).toContain(row.slice(0, -1));
  });

describe('what is served of a page', () => {
  it('has the value that was sent, and its digits where nothing changes (Reads: digits) [platform-text]', () => {
    fc.assert(servesItsValue(pageMembers), { numRuns: propertyRuns(1_000) });
  });

  it('is found wrong when values are written anew', () => {
    const planted: typeof pageMembers = (page, form) => {
      const text = JSON.stringify(JSON.parse(`{${Buffer.concat(pageMembers(page, form))}}`));
      return [Buffer.from(text.slice(1, -1))];
    };
    const runs = { seed: 1, numRuns: 1_000, endOnFailure: true };
    expect(fc.check(servesItsValue(planted), runs).failed).toBe(true);
  });
});

describe('the first assets of a page', () => {
  const rows = ['1', '2', '3', '4'].map((assetid) => ({ ...row, assetid, classid: assetid }));
  const descriptions = rows.map(({ classid }) => ({ ...text, classid }));
  const currency = { ...row, assetid: undefined, currencyid: '9' };
  const cut = (assets: readonly object[], count: number) => {
    const page = read(body({ assets, descriptions }));
    if (!page) throw new Error('no page');
    const first = firstAssets(page, count);
    const { assets: kept, descriptions: texts } = rowsOf(first, 'with_properties');
    const { more, lastAssetId } = first;
    return {
      more,
      lastAssetId,
      assets: kept.map(({ assetid }) => assetid),
      texts: texts.map(({ classid }) => classid),
    };
  };

  it('are all of them where they are no more, and else continue after the last', () => {
    const all = ['1', '2', '3', '4'];
    expect(cut(rows, 4)).toEqual({ more: false, lastAssetId: null, assets: all, texts: all });
    const two = ['1', '2'];
    expect(cut(rows, 2)).toEqual({ more: true, lastAssetId: '2', assets: two, texts: two });
  });

  it('never end with a currency row, which is not a position to continue from', () => {
    const page = [rows[0] ?? {}, currency, rows[1] ?? {}];
    expect(cut(page, 2)).toEqual({ more: true, lastAssetId: '1', assets: ['1'], texts: ['1'] });
  });
});

/** Whatever is sent as an optional block. */
const anything = fc.oneof(fc.constantFrom({}, [null], null, '', 0, [[]]), fc.jsonValue());

it('an optional block of any shape never costs an asset or the contract (Reads: optional blocks) [platform-text]', () => {
  const block = fc.record({
    assetid: fc.constantFrom<unknown>('5', 5, null, {}),
    asset_properties: anything,
    asset_accessories: anything,
  });
  const description = fc
    .record({ classid: fc.oneof(fc.constant('1'), anything), tags: anything, x: anything })
    .map((odd) => ({ ...text, ...odd }));
  const page = fc.record({
    asset_properties: fc.oneof(anything, fc.array(fc.oneof(block, anything))),
    descriptions: fc.oneof(anything, fc.array(fc.oneof(description, anything))),
    total_inventory_count: fc.constantFrom(300, '300'),
  });
  fc.assert(
    fc.property(page, (odd) => {
      const { assets } = shown(body(odd));
      expect(assets.map(({ asset_properties: _, asset_accessories: __, ...rest }) => rest)).toEqual(
        [row],
      );
      expect(read(body(odd))?.reportedTotalCount).toBe(300);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

describe('a page', () => {
  it.each([1, true, '1', -1, {}, [], 'x'])(
    'continues while more_items is %p, whatever it holds (upstream 6.7)',
    (more) => {
      const page = read(body({ assets: undefined, more_items: more, last_assetid: '40' }));
      expect(page).toMatchObject({ more: true, lastAssetId: '40', assets: [] });
    },
  );

  it.each([0, undefined, null, false, '', '0', '0.0'])('ends when more_items is %p', (more) => {
    expect(read(body({ more_items: more }))).toMatchObject({ more: false });
  });

  const pageWith = (success: string, total: string, more: string) =>
    read(`{"success":${success},"total_inventory_count":${total},"more_items":${more}}`);
  const page = { reportedTotalCount: 12, more: true };
  it.each([
    ['1', '12', '1', page],
    ['1.0', '12.0', '1.0', page],
    ['1.00', '1.2e1', '1e0', page],
    ['1e0', '"12"', '"1.0"', page],
    ['"1"', '"12.0"', '0.1', page],
    ['true', '120e-1', '0.0', { ...page, more: false }],
    ['10e-1', '12', '-0.0', { ...page, more: false }],
    ['1', '12', '0e5', { ...page, more: false }],
    ['0.0', '12', '1', null],
    ['2.0', '12', '1', null],
    ['"true"', '12', '1', null],
    ['1.1', '12', '1', null],
    ['1', '12.5', '1', null],
    ['1', '-12.0', '1', null],
    ['1', '1e400', '1', null],
  ])(
    'has success %s, a total of %s and more_items %s as numbers, however they are written (Numbers)',
    (success, total, more, expected) => {
      const read = pageWith(success, total, more);
      if (expected === null) expect(read).toBeNull();
      else expect(read).toMatchObject(expected);
    },
  );

  const members = '"success":1,"total_inventory_count":2';
  const assets = `"assets":[${rowText}]`;
  it.each([
    ['assets', `{${members},${assets},"assets":[]}`],
    ['assets, written in two ways', `{${members},${assets},"\\u0061ssets":[]}`],
    ['descriptions', `{${members},${assets},"descriptions":[],"descriptions":[]}`],
    ['more_items', `{${members},"more_items":1,"last_assetid":"5",${assets},"more_items":0}`],
    ['last_assetid', `{${members},"more_items":1,"last_assetid":"5","last_assetid":"6",${assets}}`],
    ['the total', `{${members},${assets},"total_inventory_count":1}`],
    ['success', `{"success":0,${members},${assets}}`],
    ['asset_properties', `{${members},${assets},"asset_properties":[],"asset_properties":0}`],
    ...['appid', 'contextid', 'assetid', 'classid', 'instanceid', 'amount'].map((name) => [
      `${name} of an asset`,
      `{${members},"assets":[{"${name}":"1",${rowText.slice(1)}]}`,
    ]),
    ['a name of a description', `{${members},${assets},"descriptions":[{"name":1,"name":1}]}`],
    ['a member of no importance', `{${members},${assets},"x":[{"y":{"z":1,"z":1}}]}`],
  ])('is none where it has %s twice: either could be meant', (_what, json) => {
    expect(JSON.parse(json)).toBeDefined();
    expect(read(json)).toBeNull();
  });

  it('is nested 64 levels at most', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const deep = (levels: number) =>
      read(`{${members},"assets":[{"x":${nested(levels)},${rowText.slice(1)}]}`);

    expect(deep(61)?.assets).toHaveLength(1);
    for (const levels of [62, 1_500, 6_000, 100_000]) expect(deep(levels)).toBeNull();
  });

  it.each([
    ['\\ud800', '\ufffd'],
    ['\\uDFFF\\ud83d', '\ufffd\ufffd'],
    ['\\ude00\\ud83d\\ude00', '\ufffd😀'],
    ['\\\\ud800', '\\ud800'],
  ])('has U+FFFD for half a character, as in %s (Reads: text) [platform-text]', (written, read) => {
    const odd = `{"appid":730,"classid":"501","assetid":"3","name":"a${written}b","tags":[{"${written}":1}]}`;
    const asset = `{"instanceid":5,"note":"${written}",${rowText.slice(1).replace('instanceid', 'id')}`;
    const json = `{${members},"assets":[${asset}],"descriptions":[${odd}],"x":"${written}"}`;

    const page = shown(json);

    expect(page.assets[0]).toMatchObject({ note: read, instanceid: '5' });
    expect(page.descriptions[0]).toMatchObject({ name: `a${read}b`, tags: [{ [read]: 1 }] });
    expect(page.written.isWellFormed()).toBe(true);
    expect(page.written).not.toMatch(/(?<!\\)\\ud[89]..(?!\\ud[c-f])/i);
  });

  it('may begin with a byte order mark and have blanks anywhere', () => {
    const json = JSON.stringify(body({}), null, '\t');
    expect(shown(`\ufeff\r\n ${json} \n`)).toMatchObject({ assets: [row], descriptions: [text] });
  });

  it.each(['', 'null', '[]', '1', '{', `{${members}} x`, `{${members},}`, `{${members},"a":01}`])(
    'is none in %s',
    (json) => {
      expect(read(json)).toBeNull();
    },
  );
});
