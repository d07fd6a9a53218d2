import { allowsAddress } from '../tenancy/network-policy.domain.ts';
import { mayUse } from '../tenancy/principal.domain.ts';
import {
  type Account,
  acceptSecret,
  type Credential,
  type Project,
  type ServiceAccount,
} from '../tenancy/tenancy.domain.ts';
import type { RevocationReason } from './event-frame.domain.ts';

/** The stored Credential of a secret with its owners; null when there is none. */
export interface StoredPrincipal {
  readonly credential: Credential;
  readonly project: Project;
  readonly account: Account;
  readonly serviceAccount: ServiceAccount;
}

/**
 * The reason why a Principal may no longer read its Project's events; null while it may. The most
 * permanent reason is first.
 */
export function streamRefusal(
  digest: string,
  stored: StoredPrincipal | null,
  nowMs: number,
): Exclude<RevocationReason, 'network_policy'> | null {
  const secret = stored?.credential.secrets.find((one) => one.digest === digest);
  if (!stored || !secret || stored.credential.state !== 'active') return 'credential_revoked';
  const { credential, project, account, serviceAccount } = stored;
  if (secret.validUntilMs !== null && secret.validUntilMs <= nowMs) return 'credential_revoked';
  if (credential.expiresAtMs !== null && credential.expiresAtMs <= nowMs) {
    return 'credential_expired';
  }
  const accepted = acceptSecret(digest, credential, project, account, serviceAccount);
  if (!accepted) return 'owner_suspended';
  if (!mayUse(accepted.principal, 'customer.events.read.v1')) return 'permission_removed';
  return account.eventsEnabled ? null : 'events_not_enabled';
}

/** The client must pass all policies. */
export function isNetworkAllowed(stored: StoredPrincipal, clientAddress: string): boolean {
  const { credential, project, account, serviceAccount } = stored;
  const policies = [account, project, serviceAccount, credential].flatMap(({ networkPolicy }) =>
    networkPolicy === null ? [] : [networkPolicy],
  );
  return allowsAddress(policies, clientAddress);
}
