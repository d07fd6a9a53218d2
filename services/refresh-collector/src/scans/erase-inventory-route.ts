import { refreshApi } from '@inventory/contracts/internal/refresh';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';

import { applyFact, type SagaDeps } from '../saga/apply-fact.ts';
import type { RefreshListStore } from '../saga/refresh-list-store.ts';
import type { InventoryStore } from './inventory-store.ts';

interface EraseInventoryDeps {
  readonly saga: SagaDeps;
  readonly lists: RefreshListStore;
  readonly inventories: InventoryStore;
}

/**
 * Forgets an inventory that the revision-store has erased. In this order, so that no scan that read
 * before it records what it saw:
 *
 * 1. scans under way end, free, and the expected size of what waits is dropped;
 * 2. the size is deleted with the lease; a lease that was opened meanwhile stays with its scan.
 *
 * After a crash the operator repeats it.
 */
async function eraseInventory(deps: EraseInventoryDeps, inventory: string): Promise<void> {
  const { saga, lists, inventories } = deps;
  const [leased = null] = await inventories.findLeasedRefreshes([inventory]);
  for (const { refreshId } of await lists.findUnread(inventory)) {
    await applyFact(saga, refreshId, { fact: 'inventory_erased' }, 'resend');
  }
  const phase = leased && (await saga.refreshes.findRefresh(leased))?.phase;
  const isUnderWay = phase === 'queued' || phase === 'collecting';
  await inventories.forgetInventory(inventory, isUnderWay ? null : leased);
}

export const eraseInventoryRoute = internalRoute({
  ...refreshApi.eraseInventory,
  async handle(deps: EraseInventoryDeps, { path }) {
    await eraseInventory(deps, inventoryKeyText(path));
    return {};
  },
});
