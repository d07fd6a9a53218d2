import { heldProducts, refreshOutcomes } from '@inventory/contracts/vocabulary';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { firstPriceList, pagePrice } from './price-list.domain.ts';
import { settlementOf } from './settlement.domain.ts';

const reserved = firstPriceList.refreshReservation;
const product = 'platform.inventory.refresh.v1';
const complete = (observedAssets: number) =>
  settlementOf({
    reserved,
    product,
    prices: firstPriceList,
    outcome: 'complete_changed',
    observedAssets,
  });

describe('The price of a refresh (Limits: refresh charge; decisions: outcomes and settlement) [settlement-by-outcome, refresh-charge]', () => {
  test.each([
    [0, 0],
    [1, 1],
    [1_999, 1],
    [2_000, 1],
    [2_001, 2],
    [125 * 2_000 - 2_000, 124],
    [125 * 2_000, 125],
    [125 * 2_000 + 1, 125],
    [Number.MAX_SAFE_INTEGER, 125],
  ])(
    'a complete scan of %i assets costs %i credits and releases the remainder',
    (assets, price) => {
      expect(complete(assets)).toEqual({
        disposition: 'finalize_complete',
        charged: price,
        released: reserved - price,
      });
    },
  );

  test.each([
    ['complete_changed', 'finalize_complete', 3],
    ['complete_unchanged', 'finalize_complete', 3],
    ['private', 'finalize_diagnostic', 1],
    ['not_found', 'finalize_diagnostic', 1],
    ['upstream_unavailable', 'release', 0],
    ['incomplete', 'release', 0],
    ['cancelled', 'release', 0],
    ['internal_failure', 'release', 0],
  ] as const)('%s is settled by %s for %i credits', (outcome, disposition, charged) => {
    const settlement = settlementOf({
      reserved,
      product,
      prices: firstPriceList,
      outcome,
      observedAssets: 4_001,
    });

    expect(settlement).toEqual({ disposition, charged, released: reserved - charged });
  });

  test('charged and released are together what was reserved, at any prices [billing-of-a-refresh]', () => {
    const price = fc.nat({ max: 1_000_000 });
    const prices = fc.record({
      version: fc.constant(9),
      effectiveAtMs: fc.constant(0),
      refreshReservation: price,
      refreshBlock: price,
      refreshBlockAssets: fc.integer({ min: 1, max: 1_000_000 }),
      refreshDiagnostic: price,
      watchChangedBlock: price,
      watchUnchangedBlock: price,
      livePage: price,
      currentPage: price,
    });
    const outcome = fc.constantFrom(...refreshOutcomes);
    const held = fc.constantFrom(...heldProducts);
    const assets = fc.maxSafeNat();

    fc.assert(
      fc.property(prices, held, outcome, assets, price, (list, of, ended, observedAssets, hold) => {
        const input = { reserved: hold, product: of, prices: list, outcome: ended, observedAssets };
        const { charged, released } = settlementOf(input);
        return charged >= 0 && released >= 0 && charged + released === hold;
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });
});

describe('The price of a run of a watch (Watches) [watch-prices]', () => {
  const run = (outcome: 'complete_changed' | 'complete_unchanged', observedAssets: number) =>
    settlementOf({
      reserved,
      product: 'platform.inventory.watch.v1',
      prices: firstPriceList,
      outcome,
      observedAssets,
    }).charged;

  test.each([
    [0, 0],
    [1, 1],
    [8_000, 1],
    [8_001, 2],
    [250_000, 32],
    [1_000_000, 125],
    [Number.MAX_SAFE_INTEGER, 125],
  ])('one that finds no change in %i assets costs %i credits', (assets, price) => {
    expect(run('complete_unchanged', assets)).toBe(price);
  });

  test('one that finds a change costs what a refresh does, and none costs more than that', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000 }), (assets) => {
        expect(run('complete_changed', assets)).toBe(complete(assets).charged);
        expect(run('complete_unchanged', assets)).toBeLessThanOrEqual(complete(assets).charged);
        expect(4 * run('complete_unchanged', assets)).toBeGreaterThanOrEqual(
          complete(assets).charged,
        );
      }),
    );
  });

  test('one that is private or not found costs the diagnosis, and a failed one nothing', () => {
    const settled = (outcome: 'private' | 'incomplete') =>
      settlementOf({
        reserved,
        product: 'platform.inventory.watch.v1',
        prices: firstPriceList,
        outcome,
        observedAssets: null,
      }).charged;
    expect([settled('private'), settled('incomplete')]).toEqual([1, 0]);
  });
});

test('a page of changes costs what a page of Current costs (Beyond the interface: Changes) [changes-are-charged-as-current]', () => {
  const prices = { ...firstPriceList, currentPage: 3, livePage: 5 };

  expect(pagePrice(prices, 'platform.inventory.changes.page.v1')).toBe(3);
});
