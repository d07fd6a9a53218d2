import type { InventoryKey } from '@inventory/contracts/inventory-key';

export function inventoryPath(scope: InventoryKey): string {
  return `/v2/platform/users/${scope.platform_id}/inventory/${scope.app_id}/${scope.context_id}`;
}

export const refreshPathOf = (scope: InventoryKey) => `${inventoryPath(scope)}/refresh`;
export const currentPathOf = (scope: InventoryKey) => `${inventoryPath(scope)}/current`;
export const summaryPathOf = (scope: InventoryKey) => `${inventoryPath(scope)}/summary`;
export const changesPathOf = (scope: InventoryKey, query: string) =>
  `${inventoryPath(scope)}/changes?${query}`;
export const statusPathOf = (refreshId: string) => `/v2/platform/inventory-refreshes/${refreshId}`;
export const livePathOf = (scope: InventoryKey) => inventoryPath(scope);

type ScopeOf = Pick<InventoryKey, 'platform_id' | 'app_id' | 'context_id'>;
const scopeSegments = ({ platform_id, app_id, context_id }: ScopeOf) =>
  `${platform_id}/${app_id}/${context_id}`;
export const v1PathOf = (scope: ScopeOf) => `/api/v1/inventory/${scopeSegments(scope)}`;
export const v1AliasPathOf = (scope: ScopeOf) => `/v1/platform/inventory/${scopeSegments(scope)}`;
