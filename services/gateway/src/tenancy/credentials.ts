import { randomBytes } from 'node:crypto';
import {
  type CredentialSecret,
  secretEntropyBytes,
  writeSecret,
} from '@inventory/contracts/credential-secret';
import type { CredentialId, ProjectId, ServiceAccountId } from '@inventory/contracts/ids';
import type { GrantedPermission } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { ChangeAnnouncer } from './announce-change.ts';
import type { NetworkPolicy } from './network-policy.domain.ts';
import {
  type Credential,
  defaultServiceAccountId,
  type Project,
  rotateSecrets,
} from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

export interface WantedCredential {
  readonly projectId: ProjectId;
  /** Of the same account; its default one when absent. */
  readonly serviceAccountId?: ServiceAccountId | undefined;
  readonly name: string | null;
  readonly permissions: readonly GrantedPermission[];
  readonly expiresAtMs: number | null;
  readonly networkPolicy: NetworkPolicy | null;
}

/** A Credential with its secret, which cannot be read again. */
export interface IssuedCredential {
  readonly credential: Credential;
  readonly secret: CredentialSecret;
}

export async function issueCredential(
  store: TenancyStore,
  announcer: ChangeAnnouncer,
  identifiers: Identifiers,
  wanted: WantedCredential,
): Promise<IssuedCredential> {
  const project = await store.findProject(wanted.projectId);
  if (project === null) throw new Refused({ code: 'project_not_found' });
  const serviceAccountId = await serviceAccountOf(store, project, wanted.serviceAccountId);
  const id: CredentialId = `cred_${identifiers.uuidV7()}`;
  const secret = mintSecret(id);
  const digest = secretDigest(secret);
  const issued = {
    accountId: project.accountId,
    projectId: project.id,
    credentialId: id,
    newSecretDigest: digest,
  };
  const announcement = announcer.createAnnouncement(issued);
  const nowMs = announcement.atMs;
  const credential: Credential = {
    id,
    accountId: project.accountId,
    projectId: project.id,
    serviceAccountId,
    name: wanted.name,
    state: 'active',
    permissions: wanted.permissions,
    expiresAtMs: wanted.expiresAtMs,
    networkPolicy: wanted.networkPolicy,
    secrets: [{ digest, issuedAtMs: nowMs, validUntilMs: null }],
    rotation: 0,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
    revokedAtMs: null,
  };
  await store.insertCredential(credential, announcement);
  await announcer.publishChange(issued);
  return { credential, secret };
}

async function serviceAccountOf(
  store: Pick<TenancyStore, 'findServiceAccount'>,
  { accountId }: Project,
  wanted: ServiceAccountId | undefined,
): Promise<ServiceAccountId> {
  if (wanted === undefined) return defaultServiceAccountId(accountId);
  const found = await store.findServiceAccount(wanted);
  if (found?.accountId !== accountId) throw new Refused({ code: 'service_account_not_found' });
  return found.id;
}

export function mintSecret(credentialId: CredentialId): CredentialSecret {
  return writeSecret(credentialId, randomBytes(secretEntropyBytes));
}

/**
 * A new secret for the same Credential. Of two concurrent rotations one is refused: otherwise one
 * operator would hand out a secret that the other has replaced.
 */
export async function rotateCredential(
  store: TenancyStore,
  announcer: ChangeAnnouncer,
  wanted: { credentialId: CredentialId; overlapMs: number },
): Promise<IssuedCredential> {
  const found = await store.findCredential(wanted.credentialId);
  if (found === null) throw new Refused({ code: 'credential_not_found' });
  if (found.state !== 'active') throw new Refused({ code: 'credential_revoked' });
  const secret = mintSecret(found.id);
  const digest = secretDigest(secret);
  const thing = { ...found, credentialId: found.id, newSecretDigest: digest };
  const announcement = announcer.createAnnouncement(thing);
  const nowMs = announcement.atMs;
  const secrets = rotateSecrets(found, {
    digest,
    nowMs,
    overlapMs: wanted.overlapMs,
  });
  const replacement = { fromRotation: found.rotation, secrets };
  const replaced = await store.replaceSecrets(found.id, replacement, announcement);
  if (!replaced) throw new Refused({ code: 'concurrent_change' });
  await announcer.publishChange(thing);
  const rotation = found.rotation + 1;
  return { credential: { ...found, secrets, rotation, changedAtMs: nowMs }, secret };
}

/** Final. A repeated revocation has the same response, so a retry is safe. */
export async function revokeCredential(
  store: TenancyStore,
  announcer: ChangeAnnouncer,
  credentialId: CredentialId,
): Promise<Credential> {
  const found = await store.findCredential(credentialId);
  if (found === null) throw new Refused({ code: 'credential_not_found' });
  if (found.state === 'revoked') return found;
  const thing = { ...found, credentialId: found.id };
  const announcement = announcer.createAnnouncement(thing);
  const revoked = await store.revokeCredential(found.id, announcement);
  if (!revoked) return (await store.findCredential(found.id)) ?? found;
  await announcer.publishChange(thing);
  const { atMs } = announcement;
  return { ...found, state: 'revoked', revokedAtMs: atMs, changedAtMs: atMs };
}

/** An expiry in the past is a mistake: a Credential is ended at once by revoking it. */
export function requireFuture(expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs > nowMs) return;
  const issue = { in: 'body', field: 'expires_at', reason: 'must be in the future' } as const;
  throw new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
}
