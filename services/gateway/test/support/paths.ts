import type { Scope } from '@inventory/contracts/scope';

export function inventoryPath(scope: Scope): string {
  return `/v2/platform/users/${scope.platform_id}/inventory/${scope.app_id}/${scope.context_id}`;
}

export const refreshPathOf = (scope: Scope) => `${inventoryPath(scope)}/refresh`;
export const currentPathOf = (scope: Scope) => `${inventoryPath(scope)}/current`;
export const statusPathOf = (refreshId: string) => `/v2/platform/inventory-refreshes/${refreshId}`;
export const livePathOf = (scope: Scope) => inventoryPath(scope);

type ScopeOf = Pick<Scope, 'platform_id' | 'app_id' | 'context_id'>;
const scopeSegments = ({ platform_id, app_id, context_id }: ScopeOf) =>
  `${platform_id}/${app_id}/${context_id}`;
export const v1PathOf = (scope: ScopeOf) => `/api/v1/inventory/${scopeSegments(scope)}`;
export const v1AliasPathOf = (scope: ScopeOf) => `/v1/platform/inventory/${scopeSegments(scope)}`;
