import { type AssetIdStyle, addedAssetsMax, assetIndexOf } from './asset-ids.ts';

/** One change of an inventory, made through the control endpoints. */
export type Change =
  | { readonly kind: 'add'; readonly count: number }
  /** Positions count from the top, 0 first, among the assets that are left. */
  | {
      readonly kind: 'remove';
      readonly positions?: readonly number[];
      readonly assetIds?: readonly string[];
    }
  | { readonly kind: 'amount'; readonly assetId: string; readonly amount: string }
  | { readonly kind: 'texts' };

/** How one inventory differs from the one it was created as. */
export type InventoryChanges = {
  added: number;
  readonly removed: Set<number>;
  readonly amounts: Map<number, string>;
  textVersion: number;
  /** Changes that wait until a page of this number, or a later one, is asked for. */
  pending: { readonly atPage: number; readonly change: Change }[];
};

/** What a change is applied to: the numbering of the inventory it names. */
export type Numbering = {
  readonly salt: number;
  readonly assetIdStyle: AssetIdStyle;
  readonly size: number;
};

export function noChanges(): InventoryChanges {
  return { added: 0, removed: new Set(), amounts: new Map(), textVersion: 0, pending: [] };
}

/** Applies a change, or returns a sentence with the reason why it cannot be applied. */
export function applyChange(
  changes: InventoryChanges,
  change: Change,
  numbering: Numbering,
): string | undefined {
  switch (change.kind) {
    case 'add':
      if (changes.added + change.count > addedAssetsMax) {
        return `An inventory takes at most ${addedAssetsMax} added assets.`;
      }
      changes.added += change.count;
      return undefined;
    case 'remove':
      return remove(changes, change, numbering);
    case 'amount': {
      const index = presentIndex(changes, numbering, change.assetId);
      if (index === undefined) {
        return `The inventory has no asset ${change.assetId}.`;
      }
      changes.amounts.set(index, change.amount);
      return undefined;
    }
    case 'texts':
      changes.textVersion += 1;
      return undefined;
  }
}

/** Applies the changes that waited for this page. What cannot be applied any more is dropped. */
export function applyPending(
  changes: InventoryChanges,
  pageNumber: number,
  numbering: Numbering,
): void {
  const due = changes.pending.filter((entry) => entry.atPage <= pageNumber);
  if (due.length > 0) {
    changes.pending = changes.pending.filter((entry) => entry.atPage > pageNumber);
    for (const { change } of due) {
      applyChange(changes, change, numbering);
    }
  }
}

/** All or nothing: names every index first, then removes them. */
function remove(
  changes: InventoryChanges,
  change: Extract<Change, { kind: 'remove' }>,
  numbering: Numbering,
): string | undefined {
  const indices = new Set<number>();
  for (const position of change.positions ?? []) {
    const index = indexAtPosition(changes, numbering, position);
    if (index === undefined) {
      return `The inventory has no asset at position ${position}.`;
    }
    indices.add(index);
  }
  for (const assetId of change.assetIds ?? []) {
    const index = presentIndex(changes, numbering, assetId);
    if (index === undefined) {
      return `The inventory has no asset ${assetId}.`;
    }
    indices.add(index);
  }
  for (const index of indices) {
    changes.removed.add(index);
  }
  return undefined;
}

function presentIndex(
  changes: InventoryChanges,
  numbering: Numbering,
  assetId: string,
): number | undefined {
  const index = assetIndexOf(numbering.salt, numbering.assetIdStyle, assetId);
  const present =
    index !== undefined &&
    index >= -changes.added &&
    index < numbering.size &&
    !changes.removed.has(index);
  return present ? index : undefined;
}

function indexAtPosition(
  changes: InventoryChanges,
  numbering: Numbering,
  position: number,
): number | undefined {
  let left = position;
  for (let index = -changes.added; index < numbering.size; index += 1) {
    if (!changes.removed.has(index)) {
      if (left === 0) {
        return index;
      }
      left -= 1;
    }
  }
  return undefined;
}
