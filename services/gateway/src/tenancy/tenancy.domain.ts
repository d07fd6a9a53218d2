import {
  type AccountId,
  type CredentialId,
  idPrefixes,
  type ProjectId,
  type ServiceAccountId,
} from '@inventory/contracts/ids';
import {
  type GrantedPermission,
  inventoryPermissions,
  wildcardPermission,
} from '@inventory/contracts/vocabulary';
import type { NetworkPolicy } from './network-policy.domain.ts';
import { mayUse, type Principal } from './principal.domain.ts';

/** Accounts and Projects are never deleted: money and refreshes refer to them. */
export type OwnerState = 'active' | 'suspended';
export type CredentialState = 'active' | 'revoked';

/**
 * The customer: owns the balance, Projects and Service accounts. Its default Service account is a part
 * of it, so that each account has one from the first write on.
 */
export interface Account {
  readonly id: AccountId;
  readonly name: string;
  readonly state: OwnerState;
  /** Null allows every network, here and at every other level. */
  readonly networkPolicy: NetworkPolicy | null;
  /** Of the default Service account. */
  readonly requestsPerMinute: number;
  /** Of the default Service account. */
  readonly defaultNetworkPolicy: NetworkPolicy | null;
  /** Requests per minute of all Service accounts together; null for that of the configuration. */
  readonly trafficLimitPerMinute: number | null;
  /** Whether it has Service accounts beside the default one. */
  readonly hasServiceAccounts: boolean;
  readonly eventsEnabled: boolean;
  /** Whether its chains of Live Pages may be saved as revisions. */
  readonly captureEnabled: boolean;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
}

export interface Project {
  readonly id: ProjectId;
  readonly accountId: AccountId;
  readonly name: string | null;
  readonly state: OwnerState;
  readonly networkPolicy: NetworkPolicy | null;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
}

/** Credentials that share a rate limit and a network policy. */
export interface ServiceAccount {
  readonly id: ServiceAccountId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly networkPolicy: NetworkPolicy | null;
  readonly requestsPerMinute: number;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
}

/** The stored form of a secret. The secret itself is shown once and not stored. */
export interface StoredSecret {
  /** SHA-256 of the secret, hex. */
  readonly digest: string;
  readonly issuedAtMs: number;
  /** Null for the current secret; a replaced one may stay valid for an overlap. */
  readonly validUntilMs: number | null;
}

export interface Credential {
  readonly id: CredentialId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly serviceAccountId: ServiceAccountId;
  readonly name: string | null;
  readonly state: CredentialState;
  readonly permissions: readonly GrantedPermission[];
  readonly expiresAtMs: number | null;
  readonly networkPolicy: NetworkPolicy | null;
  /** The current secret first, then the replaced one during the overlap. */
  readonly secrets: readonly StoredSecret[];
  /** Number of rotations so far: of two concurrent rotations one fails. */
  readonly rotation: number;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  readonly revokedAtMs: number | null;
}

export const requestsPerMinuteDefault = 120;

/** The default Service account has the UUID of its account. */
export function defaultServiceAccountId(accountId: AccountId): ServiceAccountId {
  return `${idPrefixes.serviceAccount}${accountId.slice(idPrefixes.account.length)}`;
}

/** The account whose default Service account has this id, if it is one. */
export function accountIdOfDefault(id: ServiceAccountId): AccountId {
  return `${idPrefixes.account}${id.slice(idPrefixes.serviceAccount.length)}`;
}

export function defaultServiceAccountOf(account: Account): ServiceAccount {
  return {
    id: defaultServiceAccountId(account.id),
    accountId: account.id,
    name: 'default',
    networkPolicy: account.defaultNetworkPolicy,
    requestsPerMinute: account.requestsPerMinute,
    createdAtMs: account.createdAtMs,
    changedAtMs: account.changedAtMs,
  };
}

/** A Principal, and when its secret becomes invalid. */
export interface AcceptedSecret {
  readonly principal: Principal;
  readonly validUntilMs: number | null;
}

/** A Credential with its owners. */
export interface FoundCredential {
  readonly credential: Credential;
  readonly project: Project;
  readonly account: Account;
  readonly serviceAccount: ServiceAccount;
}

/**
 * The Principal of a secret, or null when its Credential is revoked, the secret was replaced, or an
 * owner is suspended. Expiry is checked by {@link isStillValid}, because the result is cached.
 */
export function acceptSecret(digest: string, found: FoundCredential): AcceptedSecret | null {
  const { credential, project, account } = found;
  const secret = credential.secrets.find((stored) => stored.digest === digest);
  if (secret === undefined || credential.state !== 'active') return null;
  if (project.state !== 'active' || account.state !== 'active') return null;
  return {
    principal: principalOf(found),
    validUntilMs: earliest(secret.validUntilMs, credential.expiresAtMs),
  };
}

/** The end is exclusive: an overlap of 0 seconds invalidates a secret at once. */
export function isStillValid(accepted: AcceptedSecret, nowMs: number): boolean {
  return accepted.validUntilMs === null || nowMs < accepted.validUntilMs;
}

/** Whether a digest is that of a secret with which the Credential can be used now. */
export function isSecretOf(credential: Credential, digest: string, nowMs: number): boolean {
  const { state, expiresAtMs, secrets } = credential;
  const secret = secrets.find((stored) => stored.digest === digest);
  if (secret === undefined || state !== 'active') return false;
  const endMs = earliest(secret.validUntilMs, expiresAtMs);
  return endMs === null || nowMs < endMs;
}

/** The secrets after a rotation: an earlier overlap ends, the replaced secret gets its own. */
export function rotateSecrets(
  credential: Credential,
  rotation: { digest: string; nowMs: number; overlapMs: number },
): readonly StoredSecret[] {
  const { digest, nowMs, overlapMs } = rotation;
  const [present] = credential.secrets;
  const replaced =
    present && overlapMs > 0 ? [{ ...present, validUntilMs: nowMs + overlapMs }] : [];
  return [{ digest, issuedAtMs: nowMs, validUntilMs: null }, ...replaced];
}

/** When the replaced secret of a Credential becomes invalid; null when none is valid. */
export function overlapEndMs(credential: Credential, nowMs: number): number | null {
  const end = credential.secrets[1]?.validUntilMs ?? null;
  return end !== null && nowMs < end ? end : null;
}

/** The client must pass all of them. */
export function networkPoliciesOf(found: FoundCredential): readonly NetworkPolicy[] {
  const { account, project, serviceAccount, credential } = found;
  const levels = [account, project, serviceAccount, credential];
  return levels.map(({ networkPolicy }) => networkPolicy).filter((policy) => policy !== null);
}

function principalOf(found: FoundCredential): Principal {
  const { credential, project, account, serviceAccount } = found;
  return {
    accountId: account.id,
    projectId: project.id,
    serviceAccountId: serviceAccount.id,
    credentialId: credential.id,
    permissions: credential.permissions,
    expiresAtMs: credential.expiresAtMs,
    networkPolicies: networkPoliciesOf(found),
    eventsEnabled: account.eventsEnabled,
    captureEnabled: account.captureEnabled,
    requestsPerMinute: serviceAccount.requestsPerMinute,
    trafficLimitPerMinute: account.trafficLimitPerMinute,
    hasServiceAccounts: account.hasServiceAccounts,
  };
}

function earliest(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.min(left, right);
}

/** What a Credential can give to another one. */
type Authority = Pick<
  Credential,
  'serviceAccountId' | 'permissions' | 'expiresAtMs' | 'networkPolicy'
>;

/** A permission that the owner lacks or that is never passed on; undefined when there is none. */
export function notDelegable(
  owner: Pick<Authority, 'permissions'>,
  permissions: readonly GrantedPermission[],
): GrantedPermission | undefined {
  return permissions.find((wanted) => {
    if (wanted === wildcardPermission)
      return !inventoryPermissions.every((one) => mayUse(owner, one));
    return wanted.includes('.manage.') || !mayUse(owner, wanted);
  });
}

/** Whether the owner could have issued the other one: no part of its authority is wider. */
export function includesAuthority(owner: Authority, other: Authority): boolean {
  const { networkPolicy, expiresAtMs } = owner;
  const endsInTime = other.expiresAtMs !== null && other.expiresAtMs <= (expiresAtMs ?? Infinity);
  return (
    owner.serviceAccountId === other.serviceAccountId &&
    notDelegable(owner, other.permissions) === undefined &&
    (expiresAtMs === null || endsInTime) &&
    (networkPolicy === null || String(networkPolicy) === String(other.networkPolicy))
  );
}
