import { randomBytes } from 'node:crypto';
import {
  type CredentialSecret,
  secretEntropyBytes,
  writeSecret,
} from '@inventory/contracts/credential-secret';
import { type Environment, environmentOf } from '@inventory/contracts/environment';
import type { CredentialId, ServiceAccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { Announce } from './announce-changes.ts';
import {
  type Credential,
  defaultServiceAccountId,
  type Project,
  rotateSecrets,
} from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

export interface WantedCredential
  extends Pick<Credential, 'projectId' | 'name' | 'scopes' | 'expiresAtMs' | 'networkPolicy'> {
  /** Minted when absent. */
  readonly credentialId?: CredentialId;
  /** With the id: a second such Credential is the first. */
  readonly secret?: CredentialSecret | undefined;
  /** Of the same account; its default one when absent. */
  readonly serviceAccountId?: ServiceAccountId | undefined;
}

/** A Credential with its secret, which cannot be read again. */
export interface IssuedCredential {
  readonly credential: Credential;
  readonly secret: CredentialSecret;
}

export async function issueCredential(
  store: TenancyStore,
  announce: Announce,
  identifiers: Identifiers,
  wanted: WantedCredential,
): Promise<IssuedCredential> {
  const project = await store.projects.require(wanted.projectId);
  const serviceAccountId = await serviceAccountOf(store, project, wanted.serviceAccountId);
  const credentialId = wanted.credentialId ?? (`cred_${identifiers.uuidV7()}` as const);
  const { accountId, projectId } = project;
  const { secret = mintSecret(credentialId, environmentOf(accountId)) } = wanted;
  const digest = secretDigest(secret);
  const thing = { accountId, projectId, credentialId };
  const credential = await announce(thing, async (announcement) => {
    const { atMs } = announcement;
    const made: Credential = {
      ...thing,
      serviceAccountId,
      name: wanted.name,
      state: 'active',
      scopes: wanted.scopes,
      expiresAtMs: wanted.expiresAtMs,
      networkPolicy: wanted.networkPolicy,
      secrets: [{ digest, issuedAtMs: atMs, validUntilMs: null }],
      rotation: 0,
      keyedRotations: [],
      createdAtMs: atMs,
      changedAtMs: atMs,
      revokedAtMs: null,
    };
    await store.credentials.insert(made, announcement);
    return made;
  });
  invariant(credential !== null, 'a Credential is inserted');
  return { credential, secret };
}

async function serviceAccountOf(
  { serviceAccounts }: TenancyStore,
  { accountId }: Project,
  wanted: ServiceAccountId | undefined,
): Promise<ServiceAccountId> {
  if (wanted === undefined) return defaultServiceAccountId(accountId);
  const found = await serviceAccounts.find(wanted);
  if (found?.accountId !== accountId) throw new Refused({ code: 'service_account_not_found' });
  return found.serviceAccountId;
}

export function mintSecret(
  credentialId: CredentialId,
  environment?: Environment,
): CredentialSecret {
  return writeSecret(credentialId, randomBytes(secretEntropyBytes), environment);
}

export interface CredentialRotation {
  readonly credentialId: CredentialId;
  readonly overlapMs: number;
  /** That of an Idempotency-Key: it is made the secret once. Minted when absent. */
  readonly secret?: CredentialSecret | undefined;
}

const keyedRotationsMax = 20;

/**
 * A new secret for the same Credential. Of two concurrent rotations one is refused: otherwise one
 * operator would hand out a secret that the other has replaced.
 */
export async function rotateCredential(
  store: TenancyStore,
  announce: Announce,
  { credentialId, overlapMs, secret: keyedSecret }: CredentialRotation,
): Promise<IssuedCredential> {
  const found = await store.credentials.require(credentialId);
  const secret = keyedSecret ?? mintSecret(credentialId, environmentOf(found.accountId));
  const digest = secretDigest(secret);
  const isMade = ({ keyedRotations }: Credential) => keyedRotations.includes(digest);
  if (isMade(found)) return { credential: found, secret };
  if (found.state !== 'active') throw new Refused({ code: 'credential_revoked' });
  const { rotation: fromRotation } = found;
  const credential = await announce(found, async (announcement) => {
    const { atMs: nowMs } = announcement;
    const secrets = rotateSecrets(found, { digest, nowMs, overlapMs });
    const keyedRotations =
      keyedSecret === undefined
        ? found.keyedRotations
        : [...found.keyedRotations, digest].slice(-keyedRotationsMax);
    const replaced = { secrets, keyedRotations };
    const replacement = { fromRotation, ...replaced };
    const { replaceSecrets } = store.credentials;
    const isReplaced = await replaceSecrets(credentialId, replacement, announcement);
    return isReplaced
      ? { ...found, ...replaced, rotation: fromRotation + 1, changedAtMs: nowMs }
      : null;
  });
  if (credential !== null) return { credential, secret };
  const now = await store.credentials.require(credentialId);
  if (isMade(now)) return { credential: now, secret };
  throw new Refused({ code: 'concurrent_change' });
}

/** Final. A repeated revocation has the same response, so a retry is safe. */
export async function revokeCredential(
  store: TenancyStore,
  announce: Announce,
  credentialId: CredentialId,
): Promise<Credential> {
  const found = await store.credentials.require(credentialId);
  if (found.state === 'revoked') return found;
  const revoked = await announce(found, async (announcement) => {
    const { atMs } = announcement;
    const isRevoked = await store.credentials.revoke(credentialId, announcement);
    return isRevoked
      ? { ...found, state: 'revoked' as const, revokedAtMs: atMs, changedAtMs: atMs }
      : null;
  });
  return revoked ?? (await store.credentials.require(credentialId));
}

/** An expiry in the past is a mistake: a Credential is ended at once by revoking it. */
export function requireFuture(expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs > nowMs) return;
  const issue = { in: 'body', field: 'expires_at', reason: 'must be in the future' } as const;
  throw new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
}
