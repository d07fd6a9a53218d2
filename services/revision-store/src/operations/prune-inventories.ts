import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';
import { isStoreFailure } from '../storage/store-failure.ts';
import { type InventoryPruning, pruneInventory } from './prune-inventory.ts';

/**
 * Prunes every inventory that is due, each visited once. One that cannot be pruned now, because it
 * is being assembled or meets a fault of ours, is left to the next round and blocks no other.
 */
export async function pruneInventories(
  pruning: InventoryPruning & { readonly logger: Logger },
  stopping: AbortSignal,
): Promise<void> {
  for await (const scopeKey of pruning.scopes.findPrunable(pruning.clock.now())) {
    if (stopping.aborted) return;
    try {
      await pruneInventory(pruning, scopeKey);
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      if (!(error instanceof LeaseLost)) pruning.logger.error({ err: error }, 'pruning failed');
    }
  }
}
