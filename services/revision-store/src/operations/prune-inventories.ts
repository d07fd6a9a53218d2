import type { Logger } from '@inventory/runtime/logger';
import { pruneEach } from './prune-each.ts';
import { type PruneInventoryDeps, pruneInventory } from './prune-inventory.ts';

/** Prunes every inventory that is due, each visited once. */
export function pruneInventories(
  deps: PruneInventoryDeps & { readonly logger: Logger },
  stopping: AbortSignal,
): Promise<void> {
  const due = deps.scopes.findPrunableScopes(deps.clock.now());
  return pruneEach(deps.logger, due, (scopeKey) => pruneInventory(deps, scopeKey), stopping);
}
