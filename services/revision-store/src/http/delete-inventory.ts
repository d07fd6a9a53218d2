import { scopeKey } from '@inventory/contracts/scope';
import type { RouterContext } from '@koa/router';
import { eraseInventory, type InventoryErasure } from '../operations/erase-inventory.ts';
import { fromScopePath } from './convert.ts';

/** DELETE /inventories/{platform_id}/{app_id}/{context_id}: 204, also when there was nothing. */
export function deleteInventory(erasure: InventoryErasure) {
  return async (context: RouterContext): Promise<void> => {
    await eraseInventory(erasure, scopeKey(fromScopePath(context.params)));
    context.status = 204;
  };
}
