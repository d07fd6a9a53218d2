import { createPriceBook, firstPriceList } from './price-list.ts';

const second = { ...firstPriceList, version: 2, effectiveAt: firstPriceList.effectiveAt + 1_000 };
const third = { ...firstPriceList, version: 3, effectiveAt: firstPriceList.effectiveAt + 500 };
const book = createPriceBook([second, firstPriceList, third]);

describe('The price list in force (decisions: a price list is versioned with an effective date) [prices]', () => {
  test.each([
    ['before the first one takes effect', -1, 1],
    ['from the first one on', 0, 1],
    ['just before a later one', 499, 1],
    ['from a later one on', 500, 3],
    ['where a lower version takes effect last', 1_000, 3],
  ])('%s, at %i ms, is version %i', (_when, afterMs, version) => {
    expect(book.activeAt(firstPriceList.effectiveAt + afterMs).version).toBe(version);
  });

  test('a list is found by its version, whatever is in force', () => {
    expect(book.byVersion(2)).toBe(second);
    expect(book.byVersion(4)).toBeUndefined();
  });
});
