import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { pieceOf } from '../egress/text-pieces.domain.ts';
import { hasKey, keyOf, keysOfPage } from './page-keys.domain.ts';

const assetOf = (assetid: string, isCurrency = false) => ({
  ...pieceOf('{}'),
  identity: assetid,
  assetid,
  isCurrency,
  properties: [],
});
const asset = fc
  .tuple(fc.constantFrom('1', '11', '111', '2', '21', '18446744073709551615'), fc.boolean())
  .map(([assetid, isCurrency]) => assetOf(assetid, isCurrency));

const findsAssets = (has: typeof hasKey) =>
  fc.property(fc.array(asset), asset, (assets, wanted) => {
    const isThere = assets.some((one) => keyOf(one) === keyOf(wanted));
    expect(has(keysOfPage(assets), keyOf(wanted))).toBe(isThere);
  });

describe('the assets of a page', () => {
  it('are found again, and no others', () => {
    fc.assert(findsAssets(hasKey), { numRuns: propertyRuns(500) });
  });

  it('are found wrong by a part of their id', () => {
    const planted: typeof hasKey = ({ text }, key) => text.includes(key);
    expect(fc.check(findsAssets(planted), { seed: 1, numRuns: 500 }).failed).toBe(true);
  });

  it('are searched for in few of the pages that lack them (Everything is bounded)', () => {
    let searches = 0;
    class SearchedText extends String {
      override includes(key: string): boolean {
        searches += 1;
        return super.includes(key);
      }
    }
    const pages = Array.from({ length: 125 }, (_, page) => {
      const keys = keysOfPage(
        Array.from({ length: 2_000 }, (__, at) => assetOf(`${2_000 * page + at}`)),
      );
      return { ...keys, text: new SearchedText(keys.text) as unknown as string };
    });

    for (const number of [250_000, 251_000, 251_999]) {
      expect(pages.some((page) => hasKey(page, keyOf(assetOf(String(number)))))).toBe(false);
    }

    expect(searches).toBeLessThan(40);
  });
});
