import { credentialsMax } from '@inventory/contracts/http/credentials';
import type { CredentialId } from '@inventory/contracts/ids';
import type { GrantedPermission } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { IssuedCredential } from '../tenancy/credentials.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import { type Credential, includesAuthority, notDelegable } from '../tenancy/tenancy.domain.ts';

/** The part of tenancy that a customer can use itself. */
export type OwnCredentialsTenancy = Pick<
  Tenancy,
  | 'findCredential'
  | 'listCredentials'
  | 'countActiveCredentials'
  | 'issueCredential'
  | 'rotateCredential'
  | 'revokeCredential'
>;

/**
 * Issues a Credential in the Project of the caller with at most what the caller's own may do: its
 * Service account and network policy, and no later end. The limit of a Project can be exceeded by
 * requests at the same time.
 */
export async function issueOwnCredential(
  tenancy: OwnCredentialsTenancy,
  principal: Principal,
  wanted: {
    readonly name: string | null;
    readonly permissions: readonly GrantedPermission[];
    /** That of the caller's own Credential when absent. */
    readonly expiresAtMs?: number | null | undefined;
  },
): Promise<IssuedCredential> {
  const own = await ownCredential(tenancy, principal);
  const { serviceAccountId, networkPolicy } = own;
  const { name, permissions, expiresAtMs = own.expiresAtMs } = wanted;
  const authority = { serviceAccountId, networkPolicy, permissions, expiresAtMs };
  requireIncluded(own, authority);
  const { projectId } = principal;
  const active = await tenancy.countActiveCredentials(projectId, credentialsMax);
  if (active >= credentialsMax) {
    throw new Refused({ code: 'credential_limit_reached', detail: { limit: credentialsMax } });
  }
  return await tenancy.issueCredential({ projectId, name, ...authority });
}

/** A Credential of the caller's Project that the caller could have issued. */
export async function findOwnCredential(
  tenancy: OwnCredentialsTenancy,
  principal: Principal,
  id: CredentialId,
): Promise<Credential> {
  const found = await tenancy.findCredential(id);
  if (found?.projectId !== principal.projectId) throw new Refused({ code: 'credential_not_found' });
  requireIncluded(await ownCredential(tenancy, principal), found);
  return found;
}

function requireIncluded(own: Credential, wanted: Parameters<typeof includesAuthority>[1]): void {
  if (includesAuthority(own, wanted)) return;
  const permission = notDelegable(own, wanted.permissions);
  const lacks = permission && permission !== '*' && { permission };
  throw new Refused({
    code: 'permission_denied',
    detail: { reason: 'not_delegable', ...lacks },
  });
}

async function ownCredential(
  tenancy: OwnCredentialsTenancy,
  { credentialId }: Principal,
): Promise<Credential> {
  const own = await tenancy.findCredential(credentialId);
  invariant(own !== null, `a Principal of no Credential, ${credentialId}`);
  return own;
}
