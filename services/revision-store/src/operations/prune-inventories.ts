import { type InventoryPruning, pruneInventory } from './prune-inventory.ts';

const batch = 50;

/** Prunes the inventories that are due; true when there may be more at once. */
export async function pruneInventories(pruning: InventoryPruning): Promise<boolean> {
  const due = await pruning.scopes.findPrunable(pruning.clock.now(), batch);
  let pruned = 0;
  for (const scopeKey of due) if (await pruneInventory(pruning, scopeKey)) pruned += 1;
  return pruned === batch;
}
