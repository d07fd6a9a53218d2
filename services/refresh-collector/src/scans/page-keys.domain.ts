import type { PageAsset } from '../platform/platform-rows.domain.ts';
import type { PageKeys } from '../saga/recorded-scan.domain.ts';

/** Of all pages of a scan: 8 MB of the document of its refresh. Those of pages beyond are left out. */
export const keysMax = 1_000_000;

export const noKeys: PageKeys = new Float64Array();

export function keysOfPage(assets: readonly PageAsset[]): PageKeys {
  return Float64Array.from(assets, keyOf);
}

/** The keys of a page with those before it, as far as they are kept. */
export function withKeys(before: readonly PageKeys[], keys: PageKeys): readonly PageKeys[] {
  const count = before.reduce((sum, { length }) => sum + length, keys.length);
  return [...before, count > keysMax ? noKeys : keys];
}

/** Equal for every row of an asset of one inventory: FNV-1a with two primes, the bits of both. */
function keyOf({ assetid, isCurrency }: PageAsset): number {
  const text = isCurrency ? `c${assetid}` : assetid;
  let high = 0x811c9dc5;
  let low = high;
  for (let at = 0; at < text.length; at += 1) {
    high = Math.imul(high ^ text.charCodeAt(at), 0x01000193);
    low = Math.imul(low ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
