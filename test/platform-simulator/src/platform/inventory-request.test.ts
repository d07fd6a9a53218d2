import { readInventoryRequest } from './inventory-request.ts';

function read(path: string) {
  return readInventoryRequest(new URL(`http://platform${path}`), { identity: 'one', nowMs: 5 });
}

describe('reading a request for a page (upstream 1)', () => {
  it('takes the scope from the path and the rest from the query', () => {
    const path = '/inventory/76200001000000000/730/2';
    const query = 'l=koreana&count=1000&start_assetid=41&raw_asset_properties=1&preserve_bbcode=1';

    expect(read(`${path}?${query}`)).toEqual({
      identity: 'one',
      nowMs: 5,
      platformId: '76200001000000000',
      appId: 730,
      contextId: 2,
      language: 'koreana',
      count: 1_000,
      startAssetId: '41',
      rawAssetProperties: true,
    });
  });

  it('asks for english from the top when the query names no language and no cursor', () => {
    expect(read('/inventory/1/730/2?start_assetid=')).toMatchObject({
      language: 'english',
      count: undefined,
      startAssetId: undefined,
      rawAssetProperties: false,
    });
  });

  it.each(['0', '-1', '1e3', '2000.5', 'all', '9999999999'])(
    'takes count %s for no count',
    (count) => {
      expect(read(`/inventory/1/730/2?count=${count}`)?.count).toBeNaN();
    },
  );

  it.each(['de', 'English', 'constructor', ''])('answers language %p in english', (language) => {
    expect(read(`/inventory/1/730/2?l=${language}`)?.language).toBe('english');
  });

  it('has no application whose number is no number', () => {
    expect(read('/inventory/1/-7/0x2')).toMatchObject({ appId: 0, contextId: 0 });
  });

  it.each(['/inventory', '/inventory/1/730', '/inventory/1/730/2/3', '/Inventory/1/730/2'])(
    'is no request for %s',
    (path) => {
      expect(read(path)).toBeUndefined();
    },
  );
});
