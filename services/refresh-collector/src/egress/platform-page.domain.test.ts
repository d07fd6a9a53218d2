import { readPlatformPage } from './platform-page.domain.ts';

const row = {
  appid: 730,
  contextid: '2',
  assetid: '5',
  classid: '501',
  instanceid: '7',
  amount: '1',
};
const text = { appid: 730, classid: '501', instanceid: '7', name: 'Sim Blade', tradable: 1 };
const body = (fields: object) => ({
  success: 1,
  total_inventory_count: 1,
  assets: [row],
  descriptions: [text],
  ...fields,
});

describe('readPlatformPage', () => {
  it('passes fields of assets and descriptions through, unknown ones too (Reads: platform fields) [platform-fields]', () => {
    const page = readPlatformPage(
      body({ assets: [{ ...row, est_usd: 12 }], descriptions: [{ ...text, new_field: { a: 1 } }] }),
    );
    expect(page?.assets).toEqual([{ ...row, est_usd: 12 }]);
    expect(page?.descriptions).toEqual([{ ...text, new_field: { a: 1 } }]);
  });

  it.each([undefined, null, ''])('reads lists given as %p as empty (upstream 6.12)', (empty) => {
    const page = readPlatformPage(
      body({ assets: empty, descriptions: [{ ...text, tags: empty, actions: '' }] }),
    );
    expect(page?.assets).toEqual([]);
    expect(page?.descriptions[0]).toMatchObject({ actions: [], tags: [] });
  });

  it('leaves a list absent that the platform left absent', () => {
    expect(readPlatformPage(body({}))?.descriptions[0]).not.toHaveProperty('tags');
  });

  it('takes a missing instanceid for "0" on both sides of the join (upstream 1.1) [platform-fields]', () => {
    const { instanceid: _a, ...bareRow } = row;
    const { instanceid: _b, ...bareText } = text;
    const page = readPlatformPage(body({ assets: [bareRow], descriptions: [bareText] }));
    expect(page?.assets[0]?.instanceid).toBe('0');
    expect(page?.descriptions[0]?.instanceid).toBe('0');
  });

  it('gives a currency row its currencyid as assetid and keeps both (Reads: currency row) [platform-fields]', () => {
    const { assetid: _assetid, ...currency } = { ...row, currencyid: '9' };
    expect(readPlatformPage(body({ assets: [currency] }))?.assets[0]).toMatchObject({
      assetid: '9',
      currencyid: '9',
    });
  });

  it('puts the properties of an asset inside it, and of no other (Reads: asset_properties) [platform-fields]', () => {
    const other = { ...row, assetid: '6' };
    const properties = [{ propertyid: 2, float_value: '0.1250000' }];
    const page = readPlatformPage(
      body({
        assets: [row, other],
        asset_properties: [
          { appid: 730, contextid: '2', assetid: '5', asset_properties: properties },
        ],
      }),
    );
    expect(page?.assets[0]).toEqual({ ...row, asset_properties: properties });
    expect(page?.assets[1]).toEqual(other);
  });

  it('reads a null list of properties as empty', () => {
    const page = readPlatformPage(
      body({ asset_properties: [{ assetid: '5', asset_properties: null }] }),
    );
    expect(page?.assets[0]).toMatchObject({ asset_properties: [] });
  });

  it('takes an asset id out of a description, so that merging it over an asset changes nothing (upstream 6.13)', () => {
    const page = readPlatformPage(body({ descriptions: [{ ...text, assetid: '999' }] }));
    expect(page?.descriptions[0]).toEqual(text);
  });

  it('keeps ids above 2^53 as they are and refuses a number that lost digits (upstream 6.11)', () => {
    const large = '90071992547409931';
    expect(
      readPlatformPage(body({ assets: [{ ...row, assetid: large }] }))?.assets[0]?.assetid,
    ).toBe(large);
    expect(readPlatformPage(body({ assets: [{ ...row, assetid: Number(large) }] }))).toBeNull();
  });

  it.each([1, true, '1'])(
    'continues while more_items is %p, whatever the page holds (upstream 6.7)',
    (more) => {
      const page = readPlatformPage(
        body({ assets: undefined, more_items: more, last_assetid: '40' }),
      );
      expect(page).toMatchObject({ more: true, lastAssetId: '40', assets: [] });
    },
  );

  it.each([0, undefined, null, false])('ends when more_items is %p', (more) => {
    expect(readPlatformPage(body({ more_items: more }))).toMatchObject({ more: false });
  });
});
