import type { Scope } from '@inventory/contracts/scope';

export function inventoryPath(scope: Scope): string {
  return `/v2/platform/users/${scope.platform_id}/inventory/${scope.app_id}/${scope.context_id}`;
}

export const refreshPathOf = (scope: Scope) => `${inventoryPath(scope)}/refresh`;
export const currentPathOf = (scope: Scope) => `${inventoryPath(scope)}/current`;
export const statusPathOf = (refreshId: string) => `/v2/platform/inventory-refreshes/${refreshId}`;
