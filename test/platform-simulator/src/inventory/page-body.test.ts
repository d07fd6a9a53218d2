import { languages } from '../catalogue/languages.ts';
import { answer } from '../platform/answer.ts';
import { inventoryKey } from '../platform/inventory-request.ts';
import { sizePlatformId } from '../platform-ids.ts';
import { hashText, seed } from '../seeded-hash.ts';
import {
  assetIds,
  inventoryRequest,
  pageOf,
  unlimitedWorld,
  walkPages,
} from '../testing/ask-platform.ts';
import { assetIdAt } from './asset-ids.ts';

const joinKey = (row: Record<string, unknown>) => `${row['classid']}_${row['instanceid']}`;

describe('paging through an inventory (upstream 1.3)', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2_000, 1],
    [2_001, 2],
    [4_001, 3],
  ])('shows each of %i assets exactly once, on %i pages', (size, pageCount) => {
    const pages = walkPages(unlimitedWorld(), { platformId: sizePlatformId(size) });

    const ids = assetIds(pages);
    expect(pages).toHaveLength(pageCount);
    expect(ids).toHaveLength(size);
    expect(new Set(ids).size).toBe(size);
    expect(pages.every((page) => page.total_inventory_count === size)).toBe(true);
  });

  it.each([
    [250_000, [2_000]],
    [250_001, [2_000, 1]],
  ])('ends %i assets, after the 124th page, with pages of %j', (size, rest) => {
    const world = unlimitedWorld();
    const request = inventoryRequest({ platformId: sizePlatformId(size) });
    const salt = hashText(seed, inventoryKey(request));
    const startAssetId = assetIdAt(salt, 'mixed', 124 * 2_000 - 1);

    const pages = walkPages(world, { ...request, startAssetId });

    expect(pages.map((page) => page.assets?.length)).toEqual(rest);
    expect(pages.every((page) => page.total_inventory_count === size)).toBe(true);
  });

  it('keeps the same order whatever the page size', () => {
    const platformId = sizePlatformId(4_001);

    const large = assetIds(walkPages(unlimitedWorld(), { platformId, count: 2_000 }));
    const small = assetIds(walkPages(unlimitedWorld(), { platformId, count: 75 }));

    expect(small).toEqual(large);
  });

  it('names the last asset of a page as its cursor, and no cursor on the last page', () => {
    const pages = walkPages(unlimitedWorld(), { platformId: sizePlatformId(2_001) });

    expect(pages[0]?.more_items).toBe(1);
    expect(pages[0]?.last_assetid).toBe(pages[0]?.assets?.at(-1)?.['assetid']);
    expect(pages[1]).not.toHaveProperty('more_items');
    expect(pages[1]).not.toHaveProperty('last_assetid');
  });

  it('writes an empty inventory without any list', () => {
    const answered = answer(inventoryRequest({ platformId: sizePlatformId(0) }), unlimitedWorld());

    expect(String(answered.body)).toBe('{"total_inventory_count":0,"success":1,"rwgrsn":-2}');
  });

  it('describes every asset of a page once, by class and instance', () => {
    for (const page of walkPages(unlimitedWorld(), { platformId: sizePlatformId(4_001) })) {
      const described = (page.descriptions ?? []).map(joinKey);
      expect(new Set(described).size).toBe(described.length);
      expect(new Set((page.assets ?? []).map(joinKey))).toEqual(new Set(described));
    }
  });

  it('gives an asset exactly the six fields of the endpoint', () => {
    const [page] = walkPages(unlimitedWorld(), { platformId: sizePlatformId(1) });

    expect(Object.keys(page?.assets?.[0] ?? {})).toEqual([
      'appid',
      'contextid',
      'assetid',
      'classid',
      'instanceid',
      'amount',
    ]);
  });

  it('has kinds whose tradability differs by instance (upstream 1.1)', () => {
    const [page] = walkPages(unlimitedWorld(), { platformId: sizePlatformId(2_000) });

    const tradable = new Map<unknown, Set<unknown>>();
    for (const row of page?.descriptions ?? []) {
      const known = tradable.get(row['classid']) ?? new Set();
      tradable.set(row['classid'], known.add(row['tradable']));
    }
    expect([...tradable.values()].some((values) => values.size === 2)).toBe(true);
  });

  it('adds wear and pattern only when they are asked for', () => {
    const platformId = sizePlatformId(50);
    const world = unlimitedWorld();

    const plain = walkPages(world, { platformId })[0];
    const raw = walkPages(world, { platformId, rawAssetProperties: true })[0];

    expect(plain).not.toHaveProperty('asset_properties');
    expect(raw?.['asset_properties']).toContainEqual(
      expect.objectContaining({
        assetid: expect.any(String),
        asset_properties: [
          { propertyid: 2, float_value: expect.stringMatching(/^0\.[0-9]{7}$/), name: 'Wear' },
          { propertyid: 1, int_value: expect.stringMatching(/^[0-9]+$/) },
        ],
      }),
    );
  });
});

describe('what a page weighs', () => {
  it.each([440, 570, 730, 252490, 578080])('is 1 to 2 MB for 2,000 assets of app %i', (appId) => {
    const request = inventoryRequest({ platformId: sizePlatformId(250_001), appId });

    const bytes = Buffer.from(answer(request, unlimitedWorld()).body).length;

    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(2_000_000);
  });
});

describe('languages and accounts', () => {
  it('changes texts with the language and never ownership', () => {
    const world = unlimitedWorld();
    const bodies = languages.map((language) => {
      const page = pageOf(
        answer(inventoryRequest({ platformId: sizePlatformId(40), language }), world),
      );
      const [first] = page.descriptions ?? [];
      return {
        assets: JSON.stringify(page.assets),
        name: first?.['name'],
        hash: first?.['market_hash_name'],
      };
    });

    expect(languages).toHaveLength(30);
    expect(new Set(bodies.map(({ assets }) => assets)).size).toBe(1);
    expect(new Set(bodies.map(({ hash }) => hash)).size).toBe(1);
    expect(new Set(bodies.map(({ name }) => name)).size).toBe(30);
  });

  it('gives two accounts of one size different assets', () => {
    const world = unlimitedWorld();
    const one = assetIds(walkPages(world, { platformId: sizePlatformId(100, 1) }));
    const other = assetIds(walkPages(world, { platformId: sizePlatformId(100, 2) }));

    expect(one.filter((assetId) => other.includes(assetId))).toHaveLength(0);
  });
});
