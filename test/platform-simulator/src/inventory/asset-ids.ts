import { mix32 } from '../seeded-hash.ts';

/**
 * How an inventory numbers its assets. `mixed`: eleven digits, and seventeen (above 2^53) for one in
 * four. `neighbours`: twenty digits near 2^64, one apart, so that any two of a page are equal once
 * they have been through a double.
 */
export type AssetIdStyle = 'mixed' | 'neighbours';

/** Assets an inventory can be given at its top; their indices are negative, newest lowest. */
const addedAssetsMax = 100_000;

const rankMax = 9_999_999;
const step = 997;

/**
 * The asset id at an index of an inventory. A bijection, so that a page can start after any id
 * without an index in memory. Newest first, but not monotonic: ids are shuffled within blocks of 64.
 */
export function assetIdAt(salt: number, style: AssetIdStyle, index: number): string {
  const rank = shuffle(salt, index + addedAssetsMax);
  if (style === 'neighbours') {
    return `1844674407370${`${rank}`.padStart(7, '0')}`;
  }
  const value = `${(rankMax - rank) * step + (salt % step)}`.padStart(10, '0');
  return isLong(salt, rank) ? `${longPrefix(salt)}${value}` : `4${value}`;
}

/** The index of an asset id; undefined when the inventory never had such an asset. */
export function assetIndexOf(
  salt: number,
  style: AssetIdStyle,
  assetId: string,
): number | undefined {
  const rank = style === 'neighbours' ? neighbourRank(assetId) : mixedRank(salt, assetId);
  if (rank === undefined || rank < 0 || rank > rankMax) {
    return undefined;
  }
  const index = shuffle(salt, rank) - addedAssetsMax;
  return assetIdAt(salt, style, index) === assetId ? index : undefined;
}

/** Its own inverse: changes the low six bits only, by a mask that depends on the bits above them. */
function shuffle(salt: number, rank: number): number {
  return rank ^ (mix32(salt, rank >>> 6) & 63);
}

function isLong(salt: number, rank: number): boolean {
  return (mix32(salt ^ 0x5bd1e995, rank) & 3) === 0;
}

function longPrefix(salt: number): string {
  return `90${String(salt % 100_000).padStart(5, '0')}`;
}

function neighbourRank(assetId: string): number | undefined {
  return /^1844674407370[0-9]{7}$/.test(assetId) ? Number(assetId.slice(13)) : undefined;
}

function mixedRank(salt: number, assetId: string): number | undefined {
  if (!/^(4|90[0-9]{5})[0-9]{10}$/.test(assetId)) {
    return undefined;
  }
  const value = Number(assetId.slice(-10)) - (salt % step);
  return value % step === 0 ? rankMax - value / step : undefined;
}
