import { randomBytes } from 'node:crypto';
import type { CredentialId, ProjectId } from '@inventory/contracts/ids';
import type { GrantedPermission } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { NetworkPolicy } from '../http/network-policy.domain.ts';
import {
  type CredentialSecret,
  secretEntropyBytes,
  writeSecret,
} from './credential-secret.domain.ts';
import { secretDigest } from './secret-digest.ts';
import type { Credential } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'findProject' | 'insertCredential'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
}

export interface WantedCredential {
  readonly projectId: ProjectId;
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
  { store, clock, identifiers }: Deps,
  wanted: WantedCredential,
): Promise<IssuedCredential> {
  const project = await store.findProject(wanted.projectId);
  if (project === null) throw new Refused({ code: 'project_not_found' });
  const nowMs = clock.now();
  const id: CredentialId = `cred_${identifiers.uuidV7()}`;
  const secret = mintSecret(id);
  const credential: Credential = {
    id,
    accountId: project.accountId,
    projectId: project.id,
    name: wanted.name,
    state: 'active',
    permissions: wanted.permissions,
    expiresAtMs: wanted.expiresAtMs,
    networkPolicy: wanted.networkPolicy,
    secrets: [{ digest: secretDigest(secret), issuedAtMs: nowMs, validUntilMs: null }],
    rotation: 0,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
    revokedAtMs: null,
  };
  await store.insertCredential(credential);
  return { credential, secret };
}

export function mintSecret(credentialId: CredentialId): CredentialSecret {
  return writeSecret(credentialId, randomBytes(secretEntropyBytes));
}
