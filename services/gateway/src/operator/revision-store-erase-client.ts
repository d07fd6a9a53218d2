import { inventoryPaths } from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { longCalls } from '@inventory/http/call-lanes';
import type { InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import { z } from 'zod';

/** Erases saved inventories. Rejects with ServiceUnreachable when the store is unavailable. */
export interface RevisionStoreEraseClient {
  /** Erases everything saved of one inventory; also when nothing is saved. */
  eraseInventory(scope: InventoryKey): Promise<void>;
}

export function createRevisionStoreEraseClient(
  client: InternalClient,
  deadlines: { readonly eraseMs: number },
): RevisionStoreEraseClient {
  return {
    async eraseInventory(inventory) {
      const path = pathOf(inventoryPaths.inventory, inventory);
      const { eraseMs: timeoutMs } = deadlines;
      await client.json(z.unknown(), { method: 'DELETE', path, timeoutMs, lane: longCalls });
    },
  };
}
