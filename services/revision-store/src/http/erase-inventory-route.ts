import { scopePath } from '@inventory/contracts/http/parameters';
import { scopeKey } from '@inventory/contracts/scope';
import { internalRoute } from '@inventory/http/internal-route';
import { eraseInventory, type InventoryErasure } from '../operations/erase-inventory.ts';

export interface EraseInventoryDeps {
  readonly erasure: InventoryErasure;
}

/** 204, also when nothing was saved. */
export const eraseInventoryRoute = internalRoute({
  method: 'DELETE',
  template: '/inventories/{platform_id}/{app_id}/{context_id}',
  input: { path: scopePath },
  status: 204,
  async handle({ erasure }: EraseInventoryDeps, { path }) {
    await eraseInventory(erasure, scopeKey(path));
  },
});
