import { answer } from '../platform/answer.ts';
import { sizePlatformId } from '../platform-ids.ts';
import {
  assetIds,
  inventoryRequest,
  unlimitedWorld,
  walkPages,
} from '../testing/request-platform.ts';

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

  it('describes every asset of a page once, by class and instance', () => {
    for (const page of walkPages(unlimitedWorld(), { platformId: sizePlatformId(4_001) })) {
      const described = (page.descriptions ?? []).map(joinKey);
      expect(new Set(described).size).toBe(described.length);
      expect(new Set((page.assets ?? []).map(joinKey))).toEqual(new Set(described));
    }
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
