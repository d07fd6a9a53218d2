import { pieceOf } from '../platform/text-pieces.domain.ts';
import { keysMax, keysOfPage, noKeys, withKeys } from './page-keys.domain.ts';

const assetOf = (assetid: string, isCurrency = false) => ({
  ...pieceOf('{}'),
  identity: assetid,
  assetid,
  isCurrency,
  properties: [],
});
/** Those of the largest inventories in a row, small numbers, and numbers above 2^53. */
const firstIds = [1n, 40_000_000_000n, 18_446_744_073_709_000_000n];
const idsFrom = (first: bigint) =>
  Array.from({ length: 100_000 }, (_, at) => String(first + BigInt(at)));

describe('the keys of the assets of a page', () => {
  it('are equal for the same asset alone, a currency row of its number among others (upstream 6.9)', () => {
    const ids = firstIds.flatMap(idsFrom);
    const assets = ids.flatMap((id) => [assetOf(id), assetOf(id, true)]);

    expect(new Set(keysOfPage(assets)).size).toBe(assets.length);
    expect(keysOfPage(assets.slice(0, 2_000))).toEqual(keysOfPage(assets).slice(0, 2_000));
  });

  it('are kept of a million assets of a scan (Everything is bounded)', () => {
    const most = [new Float64Array(keysMax - 1)];
    const one = keysOfPage([assetOf('1')]);

    expect(withKeys(most, one)).toEqual([...most, one]);
    expect(withKeys([...most, one], one)).toEqual([...most, one, noKeys]);
  });
});
