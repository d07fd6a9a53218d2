import type { PriceList, PriceSchedule } from '@inventory/contracts/messages/price-list';
import { firstPrices } from '../../test/support/fake-ledger-reads.ts';
import { nextPrices, pricesInForce } from './prices.ts';

const { announced: _none, ...prices } = firstPrices;
const listOf = (version: number, effectiveAtMs: number): PriceList => ({
  ...prices,
  version,
  effectiveAtMs,
});
const scheduleOf = (...announced: PriceList[]): PriceSchedule => ({ ...listOf(1, 0), announced });

describe('The price list in force (decisions: a price list is versioned with an effective date) [prices]', () => {
  test.each([
    ['just before an announced one', [listOf(2, 100)], 99, 1],
    ['from the time of an announced one on', [listOf(2, 100)], 100, 2],
    ['after a higher one replaced it', [listOf(2, 200), listOf(3, 100)], 300, 3],
    ['of two at the same time, the higher', [listOf(2, 100), listOf(3, 100)], 100, 3],
  ])('%s', (_when, announced, nowMs, version) => {
    expect(pricesInForce(scheduleOf(...announced), nowMs).version).toBe(version);
  });

  test.each([
    ['none', [], undefined],
    ['the only one', [listOf(2, 100)], 2],
    ['the earlier of two', [listOf(2, 100), listOf(3, 200)], 2],
    ['the one that replaces another', [listOf(2, 200), listOf(3, 100)], 3],
    ['of two at the same time, the higher', [listOf(2, 100), listOf(3, 100)], 3],
  ])('next is %s', (_which, announced, version) => {
    expect(nextPrices(scheduleOf(...announced))?.version).toBe(version);
  });
});
