import type { AccountId, CredentialId, ProjectId } from '@inventory/contracts/ids';
import {
  type GrantedPermission,
  inventoryPermissions,
  type Permission,
  wildcardPermission,
} from '@inventory/contracts/vocabulary';

/** The Principal of an accepted secret: account, Project, Credential and permissions. */
export interface Principal {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly credentialId: CredentialId;
  readonly permissions: readonly GrantedPermission[];
  /** Milliseconds since the epoch; null when the Credential does not expire. */
  readonly expiresAtMs: number | null;
  /** CIDR lists of account, Project and Credential; the client must be in each that is given. */
  readonly networkPolicies: readonly (readonly string[])[];
  readonly eventsEnabled: boolean;
  /** Requests per minute that all active Credentials of the account share. */
  readonly requestsPerMinute: number;
}

/** The legacy wildcard grants the inventory permissions only; the others must be named. */
export function mayUse(principal: Pick<Principal, 'permissions'>, permission: Permission): boolean {
  if (principal.permissions.includes(permission)) return true;
  const inventory: readonly Permission[] = inventoryPermissions;
  return principal.permissions.includes(wildcardPermission) && inventory.includes(permission);
}
