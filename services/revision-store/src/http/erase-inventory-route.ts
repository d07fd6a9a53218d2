import { scopePath } from '@inventory/contracts/http/parameters';
import { inventoryPaths } from '@inventory/contracts/internal/inventory';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { type EraseInventoryDeps, eraseInventory } from '../operations/erase-inventory.ts';

/** 204, also when nothing was saved. */
export const eraseInventoryRoute = internalRoute({
  method: 'DELETE',
  template: inventoryPaths.inventory,
  input: { path: scopePath },
  status: 204,
  async handle(deps: EraseInventoryDeps, { path }) {
    await eraseInventory(deps, inventoryKeyText(path));
  },
});
