import type { AccountId, CredentialId, ProjectId } from '@inventory/contracts/ids';
import type { GrantedPermission } from '@inventory/contracts/vocabulary';
import type { NetworkPolicy } from '../http/network-policy.domain.ts';
import type { Principal } from './principal.domain.ts';

/** Accounts and Projects are never deleted: money and refreshes refer to them. */
export type OwnerState = 'active' | 'suspended';
export type CredentialState = 'active' | 'revoked';

/** The customer: owns the balance; its Credentials share one rate limit. */
export interface Account {
  readonly id: AccountId;
  readonly name: string;
  readonly state: OwnerState;
  /** Null allows every network, here and in Projects and Credentials. */
  readonly networkPolicy: NetworkPolicy | null;
  readonly requestsPerMinute: number;
  readonly eventsEnabled: boolean;
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

/** A Principal, and when its secret becomes invalid. */
export interface AcceptedSecret {
  readonly principal: Principal;
  readonly validUntilMs: number | null;
}

/**
 * The Principal of a secret, or null when its Credential is revoked, the secret was replaced, or an
 * owner is suspended. Expiry is checked by {@link isStillValid}, because the result is cached.
 */
export function acceptSecret(
  digest: string,
  credential: Credential,
  project: Project,
  account: Account,
): AcceptedSecret | null {
  const secret = credential.secrets.find((stored) => stored.digest === digest);
  if (secret === undefined || credential.state !== 'active') return null;
  if (project.state !== 'active' || account.state !== 'active') return null;
  return {
    principal: principalOf(credential, project, account),
    validUntilMs: earliest(secret.validUntilMs, credential.expiresAtMs),
  };
}

/** The end is exclusive: an overlap of 0 seconds invalidates a secret at once. */
export function isStillValid(accepted: AcceptedSecret, nowMs: number): boolean {
  return accepted.validUntilMs === null || nowMs < accepted.validUntilMs;
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

function principalOf(credential: Credential, project: Project, account: Account): Principal {
  const policies = [account.networkPolicy, project.networkPolicy, credential.networkPolicy];
  return {
    accountId: account.id,
    projectId: project.id,
    credentialId: credential.id,
    permissions: credential.permissions,
    expiresAtMs: credential.expiresAtMs,
    networkPolicies: policies.filter((policy) => policy !== null),
    eventsEnabled: account.eventsEnabled,
    requestsPerMinute: account.requestsPerMinute,
  };
}

function earliest(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.min(left, right);
}
