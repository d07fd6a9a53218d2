import { scopePath } from '@inventory/contracts/http/parameters';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { type EraseInventoryDeps, eraseInventory } from '../operations/erase-inventory.ts';

/** 204, also when nothing was saved. */
export const eraseInventoryRoute = internalRoute({
  method: 'DELETE',
  template: '/inventories/{platform_id}/{app_id}/{context_id}',
  input: { path: scopePath },
  status: 204,
  async handle(deps: EraseInventoryDeps, { path }) {
    await eraseInventory(deps, inventoryKeyText(path));
  },
});
