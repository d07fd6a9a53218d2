import { type Scope, scopeKey } from '@inventory/contracts/scope';

/** Of one inventory in the public API. */
export function inventoryPath(scope: Scope): string {
  const [platformId, appId, contextId] = scopeKey(scope).split('/');
  return `/v2/platform/users/${platformId}/inventory/${appId}/${contextId}`;
}
