import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';
import { isStoreFailure } from '../storage/store-failure.ts';
import { type PruneInventoryDeps, pruneInventory } from './prune-inventory.ts';

/**
 * Prunes every inventory that is due, each visited once. One that cannot be pruned now, because it
 * is being assembled or fails by an internal fault, is left to the next round and blocks no other.
 */
export async function pruneInventories(
  deps: PruneInventoryDeps & { readonly logger: Logger },
  stopping: AbortSignal,
): Promise<void> {
  for await (const scopeKey of deps.scopes.findPrunableScopes(deps.clock.now())) {
    if (stopping.aborted) return;
    try {
      await pruneInventory(deps, scopeKey);
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      if (!(error instanceof LeaseLost)) deps.logger.error({ err: error }, 'pruning failed');
    }
  }
}
