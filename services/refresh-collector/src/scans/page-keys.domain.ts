import type { PageAsset } from '../egress/platform-rows.domain.ts';

/** The assets of a page. As one text, for it takes a tenth of the memory that a set does. */
export interface PageKeys {
  readonly text: string;
  /** A bit for each asset, by a hash of its key: most keys that are not there are not searched for. */
  readonly bits: Uint8Array;
}

const pageBits = 2 ** 16;

export function keysOfPage(assets: readonly PageAsset[]): PageKeys {
  const keys = assets.map(keyOf);
  const bits = new Uint8Array(pageBits / 8);
  for (const hash of keys.map(hashOf)) bits[hash >> 3] = (bits[hash >> 3] ?? 0) | (1 << (hash & 7));
  return { text: ` ${keys.join(' ')} `, bits };
}

export function hasKey({ text, bits }: PageKeys, key: string): boolean {
  const hash = hashOf(key);
  const isSet = ((bits[hash >> 3] ?? 0) & (1 << (hash & 7))) !== 0;
  return isSet && text.includes(` ${key} `);
}

function hashOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash, 31) + key.charCodeAt(at);
  return (hash ^ (hash >>> 16)) & (pageBits - 1);
}

/** Equal for every row of an asset of one inventory. */
export function keyOf({ assetid, isCurrency }: PageAsset): string {
  return isCurrency ? `c${assetid}` : assetid;
}
