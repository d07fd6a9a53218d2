import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';

/** Of one inventory in the public API. */
export function inventoryPath(scope: InventoryKey): string {
  const [platformId, appId, contextId] = inventoryKeyText(scope).split('/');
  return `/v2/platform/users/${platformId}/inventory/${appId}/${contextId}`;
}
