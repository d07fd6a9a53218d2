import { refreshApi } from '@inventory/contracts/internal/refresh';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { type EraseInventoryDeps, eraseInventory } from './erase-inventory.ts';

export const eraseInventoryRoute = internalRoute({
  ...refreshApi.eraseInventory,
  async handle(deps: EraseInventoryDeps, { path }) {
    await eraseInventory(deps, inventoryKeyText(path));
    return {};
  },
});
