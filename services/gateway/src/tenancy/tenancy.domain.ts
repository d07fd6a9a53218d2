import { environmentOf } from '@inventory/contracts/environment';
import { credentialRecord } from '@inventory/contracts/http/credentials';
import {
  accountRecord,
  networkPolicy,
  projectRecord,
  serviceAccountRecord,
} from '@inventory/contracts/http/tenancy';
import {
  type AccountId,
  accountId,
  idPrefixes,
  type ServiceAccountId,
} from '@inventory/contracts/ids';
import {
  type GrantedPermission,
  inventoryPermissions,
  wildcardPermission,
} from '@inventory/contracts/vocabulary';
import { z } from 'zod';
import type { NetworkPolicy } from './network-policy.domain.ts';
import { mayUse, type Principal } from './principal.domain.ts';

/**
 * The customer. Its default Service account is a part of it, so that each account has one from the
 * first write on.
 */
const idAlone = { environment: true, defaultServiceAccountId: true } as const;
export const account = accountRecord.out.omit(idAlone).extend({
  /** Absent in what an older gateway writes. */
  parentAccountId: accountId.nullable().default(null),
  /** Of the default Service account. */
  defaultNetworkPolicy: networkPolicy,
  /** Whether it has Service accounts beside the default one. */
  hasServiceAccounts: z.boolean(),
});
export type CustomerAccount = Readonly<z.output<typeof account>>;

export const project = projectRecord.out;
export type Project = Readonly<z.output<typeof project>>;

export const serviceAccount = serviceAccountRecord.out.omit({ isDefault: true });
export type ServiceAccount = Readonly<z.output<typeof serviceAccount>>;

/** The stored form of a secret. The secret itself is shown once and not stored. */
const storedSecret = z.object({
  /** SHA-256 of the secret, hex. */
  digest: z.string(),
  issuedAtMs: z.number(),
  /** Null for the current secret; a replaced one may stay valid for an overlap. */
  validUntilMs: z.number().nullable(),
});
export type StoredSecret = Readonly<z.output<typeof storedSecret>>;

export const credential = credentialRecord.out
  .omit({ publicId: true, replacedSecretValidUntilMs: true })
  .extend({
    /**
     * The current secret first, then the replaced one during the overlap. Never empty, not even when
     * revoked: the unique index has no entry for an empty list.
     */
    secrets: z.array(storedSecret),
    /** Number of rotations so far: of two concurrent rotations one fails. */
    rotation: z.int(),
    /** Digests of the secrets of its latest rotations under an Idempotency-Key: each is made once. */
    keyedRotations: z.array(z.string()).default([]),
  });
export type Credential = Readonly<z.output<typeof credential>>;

export const rateLimitPerMinuteDefault = 120;

/** The default Service account has the UUID of its account. */
export function defaultServiceAccountId(accountId: AccountId): ServiceAccountId {
  return `${idPrefixes.serviceAccount}${accountId.slice(idPrefixes.account.length)}`;
}

/** The account whose default Service account has this id, if it is one. */
export function accountIdOfDefault(id: ServiceAccountId): AccountId {
  return `${idPrefixes.account}${id.slice(idPrefixes.serviceAccount.length)}`;
}

export function defaultServiceAccountOf(account: CustomerAccount): ServiceAccount {
  return {
    serviceAccountId: defaultServiceAccountId(account.accountId),
    accountId: account.accountId,
    name: 'default',
    networkPolicy: account.defaultNetworkPolicy,
    rateLimitPerMinute: account.rateLimitPerMinute,
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
  readonly account: CustomerAccount;
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
): StoredSecret[] {
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
    environment: environmentOf(account.accountId),
    accountId: account.accountId,
    projectId: project.projectId,
    serviceAccountId: serviceAccount.serviceAccountId,
    credentialId: credential.credentialId,
    permissions: credential.scopes,
    expiresAtMs: credential.expiresAtMs,
    networkPolicies: networkPoliciesOf(found),
    eventsEnabled: account.eventsEnabled,
    captureEnabled: account.captureEnabled,
    requestsPerMinute: serviceAccount.rateLimitPerMinute,
    trafficLimitPerMinute: account.trafficLimitPerMinute,
    hasServiceAccounts: account.hasServiceAccounts,
  };
}

function earliest(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.min(left, right);
}

/** What a Credential can give to another one. */
type Authority = Pick<Credential, 'serviceAccountId' | 'scopes' | 'expiresAtMs' | 'networkPolicy'>;

/** A permission that the owner lacks or that is never passed on; undefined when there is none. */
export function notDelegable(
  own: readonly GrantedPermission[],
  scopes: readonly GrantedPermission[],
): GrantedPermission | undefined {
  return scopes.find((wanted) => {
    if (wanted === wildcardPermission)
      return !inventoryPermissions.every((one) => mayUse(own, one));
    return wanted.includes('.manage.') || !mayUse(own, wanted);
  });
}

/** Whether the owner could have issued the other one: no part of its authority is wider. */
export function includesAuthority(owner: Authority, other: Authority): boolean {
  const { networkPolicy, expiresAtMs } = owner;
  const endsInTime = other.expiresAtMs !== null && other.expiresAtMs <= (expiresAtMs ?? Infinity);
  return (
    owner.serviceAccountId === other.serviceAccountId &&
    notDelegable(owner.scopes, other.scopes) === undefined &&
    (expiresAtMs === null || endsInTime) &&
    (networkPolicy === null || String(networkPolicy) === String(other.networkPolicy))
  );
}
