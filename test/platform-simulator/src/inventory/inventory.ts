import type { App } from '../catalogue/apps.ts';
import { instances, isStackable, kindCount } from '../catalogue/item-kinds.ts';
import { mix32 } from '../seeded-hash.ts';
import { type AssetIdStyle, assetIdAt, assetIndexOf } from './asset-ids.ts';

/**
 * One inventory in its present state, described and not stored: assets are computed by index. Index 0 to
 * `size` - 1 are the assets it was created with, -1 to -`added` those added at its top since.
 */
export type Inventory = {
  readonly app: App;
  readonly contextId: number;
  readonly salt: number;
  readonly size: number;
  readonly added: number;
  readonly removed: ReadonlySet<number>;
  /** Assets that count in the total but are never shown. */
  readonly hidden: number;
  readonly textVersion: number;
  readonly assetIdStyle: AssetIdStyle;
  readonly amountStyle: 'ordinary' | 'stacks' | 'huge';
  /** How many kinds of the catalogue it draws from. */
  readonly kindLimit: number;
};

/** A run of an inventory's assets in the platform's order. */
export type Slice = {
  readonly indices: readonly number[];
  readonly hasMore: boolean;
};

// Taken once, as in seeded-hash.ts.
const { ceil, floor, max } = Math;

const paletteSize = 300;

export function totalCount(inventory: Inventory): number {
  return inventory.size + inventory.added - inventory.removed.size + inventory.hidden;
}

/**
 * The index a page starts at: the top without a cursor, else just after the cursor's asset, which
 * may have been removed meanwhile. Undefined when the inventory never had that asset.
 */
export function startIndex(
  inventory: Inventory,
  startAssetId: string | undefined,
): number | undefined {
  if (startAssetId === undefined) {
    return -inventory.added;
  }
  const index = assetIndexOf(inventory.salt, inventory.assetIdStyle, startAssetId);
  return index !== undefined && index >= -inventory.added && index < inventory.size
    ? index + 1
    : undefined;
}

/**
 * Which page of a walk starts at this index, from 1. A short page counts as one; assets added or
 * removed meanwhile do not shift the number as long as they are fewer than a tenth of a page.
 */
export function pageNumber(startsAt: number, pageSize: number): number {
  return 1 + max(0, ceil(startsAt / max(1, pageSize) - 0.1));
}

/** Up to `count` assets from an index on. */
export function slice(inventory: Inventory, startsAt: number, count: number): Slice {
  const indices: number[] = [];
  let index = startsAt;
  while (index < inventory.size && indices.length < count) {
    if (!inventory.removed.has(index)) {
      indices.push(index);
    }
    index += 1;
  }
  while (index < inventory.size && inventory.removed.has(index)) {
    index += 1;
  }
  return { indices, hasMore: index < inventory.size };
}

export function assetId(inventory: Inventory, index: number): string {
  return assetIdAt(inventory.salt, inventory.assetIdStyle, index);
}

/**
 * The catalogue number of an asset: drawn, some kinds oftener than others, from a part of the
 * catalogue that moves on as the inventory gets longer. So 2,000 neighbours share some 500
 * descriptions, as in real inventories, and a large inventory still meets the whole catalogue.
 */
export function assetKind(inventory: Inventory, index: number): number {
  const share = mix32(inventory.salt, index) / 2 ** 32;
  const drawn = floor(share ** 2 * paletteSize) + max(0, index >> 4);
  return ((inventory.salt % kindCount) + (drawn % inventory.kindLimit)) % kindCount;
}

/** The entry of `instances` an asset belongs to: most are plain. */
export function assetInstance(inventory: Inventory, index: number): number {
  const roll = mix32(inventory.salt ^ 0x2545f491, index) % 100;
  if (roll < 93) {
    return 0;
  }
  return roll < 97 ? 1 : roll < 99 ? 2 : instances.length - 1;
}

export function assetAmount(inventory: Inventory, index: number): string {
  const roll = mix32(inventory.salt ^ 0x68e31da4, index);
  switch (inventory.amountStyle) {
    case 'ordinary':
      return isStackable(assetKind(inventory, index)) ? `${1 + (roll % 25)}` : '1';
    case 'stacks':
      return String(2 + (roll % 999));
    case 'huge':
      return String(9_000_000_000_000_000_000n + BigInt(roll));
  }
}
