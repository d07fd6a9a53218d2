import { createPriceBook, firstPriceList, priceTime, publicationOf } from './price-list.domain.ts';

const second = {
  ...firstPriceList,
  version: 2,
  effectiveAtMs: firstPriceList.effectiveAtMs + 1_000,
};
const third = { ...firstPriceList, version: 3, effectiveAtMs: firstPriceList.effectiveAtMs + 500 };
const book = createPriceBook([second, firstPriceList, third]);

describe('The price list in force (decisions: a price list is versioned with an effective date) [prices]', () => {
  test.each([
    ['before the first one takes effect', -1, 1],
    ['from the first one on', 0, 1],
    ['just before a later one', 499, 1],
    ['from a later one on', 500, 3],
    ['where a lower version takes effect last', 1_000, 3],
  ])('%s, at %i ms, is version %i', (_when, afterMs, version) => {
    expect(book.activeAt(firstPriceList.effectiveAtMs + afterMs).version).toBe(version);
  });

  test('a list is found by its version, whatever is in force', () => {
    expect(book.byVersion(2)).toBe(second);
    expect(book.byVersion(4)).toBeUndefined();
  });
});

describe('A purchase has the prices of the time its command was sent (decisions: Prices of a command) [prices]', () => {
  const dayMs = 86_400_000;
  const at = firstPriceList.effectiveAtMs + 100 * dayMs;

  test.each([
    ['just before it is booked', -3, -3],
    ['a month before, as in a replay', -31 * dayMs, -31 * dayMs],
    ['by a clock that is a little ahead', 5_000, 5_000],
    ['unless a clock is far ahead', 5_001, 0],
    ['unless no topic keeps it for so long', -61 * dayMs, 0],
  ])('%s', (_when, sentMs, pricedMs) => {
    expect(priceTime(at + sentMs, at)).toBe(at + pricedMs);
  });
});

describe('A list is published (decisions: a price list is versioned data) [prices]', () => {
  const now = { nowMs: firstPriceList.effectiveAtMs + 1_000, leadMs: 100 };
  const earliestMs = now.nowMs + now.leadMs;
  const lists = [firstPriceList, second];
  const wanted = { ...firstPriceList, version: 3, effectiveAtMs: earliestMs };

  test.each([
    ['as the next version', wanted, { result: 'new', list: wanted }],
    [
      'without a date, as soon as it may',
      { ...wanted, effectiveAtMs: null },
      { result: 'new', list: wanted },
    ],
    [
      'with its block for a run of a watch, where it states none',
      { ...wanted, refreshBlock: 7, watchChangedBlock: undefined, watchUnchangedBlock: undefined },
      {
        result: 'new',
        list: { ...wanted, refreshBlock: 7, watchChangedBlock: 7, watchUnchangedBlock: 7 },
      },
    ],
    [
      'not too early',
      { ...wanted, effectiveAtMs: earliestMs - 1 },
      { result: 'too_early', earliestMs },
    ],
    ['not after a gap', { ...wanted, version: 4 }, { result: 'version_conflict', nextVersion: 3 }],
    ['once', second, { result: 'published', list: second }],
    [
      'once, whatever its date was',
      { ...second, effectiveAtMs: null },
      { result: 'published', list: second },
    ],
    [
      'never with other prices',
      { ...second, livePage: 9 },
      { result: 'version_conflict', nextVersion: 3 },
    ],
    [
      'never with another date',
      { ...second, effectiveAtMs: 9e15 },
      { result: 'version_conflict', nextVersion: 3 },
    ],
  ])('%s', (_how, list, publication) => {
    expect(publicationOf(lists, list, now)).toEqual(publication);
  });
});
