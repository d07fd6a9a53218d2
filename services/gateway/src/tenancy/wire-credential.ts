import { publicIdOf } from '@inventory/contracts/credential-secret';
import type { CredentialRecord } from '@inventory/contracts/http/credentials';
import { isoTime } from '@inventory/runtime/clock';
import type { IssuedCredential } from './credentials.ts';
import { type Credential, overlapEndMs } from './tenancy.domain.ts';

/** The public id identifies the Credential of a leaked key; no part of the secret is shown. */
export function toWireCredential(credential: Credential, nowMs: number): CredentialRecord {
  return {
    credential_id: credential.id,
    project_id: credential.projectId,
    account_id: credential.accountId,
    service_account_id: credential.serviceAccountId,
    name: credential.name,
    state: credential.state,
    public_id: publicIdOf(credential.id),
    scopes: [...credential.permissions],
    expires_at: timeOrNull(credential.expiresAtMs),
    network_policy: credential.networkPolicy && [...credential.networkPolicy],
    replaced_secret_valid_until: timeOrNull(overlapEndMs(credential, nowMs)),
    created_at: isoTime(credential.createdAtMs),
    changed_at: isoTime(credential.changedAtMs),
    revoked_at: timeOrNull(credential.revokedAtMs),
  };
}

/** The only response with a secret. */
export function toWireIssued({ credential, secret }: IssuedCredential, nowMs: number) {
  return { ...toWireCredential(credential, nowMs), secret };
}

function timeOrNull(atMs: number | null): string | null {
  return atMs === null ? null : isoTime(atMs);
}
