import type { Environment } from '@inventory/contracts/environment';
import type {
  AccountId,
  CredentialId,
  ProjectId,
  ServiceAccountId,
} from '@inventory/contracts/ids';
import {
  type GrantedPermission,
  inventoryPermissions,
  type Permission,
  wildcardPermission,
} from '@inventory/contracts/vocabulary';

/** The Principal of an accepted secret: its owners, Credential and permissions. */
export interface Principal {
  /** That of its account. */
  readonly environment: Environment;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly serviceAccountId: ServiceAccountId;
  readonly credentialId: CredentialId;
  readonly permissions: readonly GrantedPermission[];
  /** Milliseconds since the epoch; null when the Credential does not expire. */
  readonly expiresAtMs: number | null;
  /** CIDR lists of account, Project, Service account and Credential; the client must be in each that is given. */
  readonly networkPolicies: readonly (readonly string[])[];
  readonly eventsEnabled: boolean;
  /** Whether chains of Live Pages of the account may be saved as revisions. */
  readonly captureEnabled: boolean;
  /** Requests per minute that all active Credentials of the Service account share. */
  readonly requestsPerMinute: number;
  /** Requests per minute of the customer account; null for that of the configuration. */
  readonly trafficLimitPerMinute: number | null;
  /** Whether other Service accounts may count against the limit of the customer account. */
  readonly hasServiceAccounts: boolean;
}

/** Who pays for what the Principal buys. */
export function buyerOf({ accountId, projectId, credentialId }: Principal) {
  return { accountId, projectId, credentialId };
}

/** The legacy wildcard grants the inventory permissions only; the others must be named. */
export function mayUse(granted: readonly GrantedPermission[], permission: Permission): boolean {
  if (granted.includes(permission)) return true;
  const inventory: readonly Permission[] = inventoryPermissions;
  return granted.includes(wildcardPermission) && inventory.includes(permission);
}

/**
 * Requests per minute of the customer account: as set for it, otherwise the configured limit, which
 * does not restrict a Service account that an operator gave more.
 */
export function trafficLimitOf(principal: Principal, configuredPerMinute: number): number {
  const { trafficLimitPerMinute, requestsPerMinute } = principal;
  return trafficLimitPerMinute ?? Math.max(configuredPerMinute, requestsPerMinute);
}
