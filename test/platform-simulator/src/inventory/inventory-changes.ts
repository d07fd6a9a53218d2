/** One change of an inventory, made through the control endpoints. */
export type Change =
  | { readonly kind: 'add'; readonly count: number }
  /** Positions count from the top, 0 first, among the assets that are left. */
  | { readonly kind: 'remove'; readonly positions: readonly number[] }
  | { readonly kind: 'texts' };

/** How one inventory differs from the one it was created as. */
export type InventoryChanges = {
  added: number;
  readonly removed: Set<number>;
  textVersion: number;
};

export function newChanges(): InventoryChanges {
  return { added: 0, removed: new Set(), textVersion: 0 };
}

/** Applies a change to an inventory that was created with so many assets. */
export function applyChange(changes: InventoryChanges, change: Change, size: number): void {
  switch (change.kind) {
    case 'add':
      changes.added += change.count;
      return;
    case 'remove': {
      const left: number[] = [];
      for (let index = -changes.added; index < size; index += 1) {
        if (!changes.removed.has(index)) left.push(index);
      }
      for (const position of change.positions) {
        const index = left[position];
        if (index === undefined) throw new Error(`There is no asset at position ${position}.`);
        changes.removed.add(index);
      }
      return;
    }
    case 'texts':
      changes.textVersion += 1;
  }
}
