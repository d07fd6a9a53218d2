import { allowsAddress } from '../tenancy/network-policy.domain.ts';
import { mayUse } from '../tenancy/principal.domain.ts';
import {
  acceptSecret,
  type FoundCredential,
  networkPoliciesOf,
} from '../tenancy/tenancy.domain.ts';
import type { RevocationReason } from './event-frame.domain.ts';

/**
 * The reason why the Principal of a secret, null where there is none, may no longer read its Project's
 * events; null while it may. The most permanent reason is first.
 */
export function streamRefusal(
  digest: string,
  stored: FoundCredential | null,
  nowMs: number,
): Exclude<RevocationReason, 'network_policy'> | null {
  const secret = stored?.credential.secrets.find((one) => one.digest === digest);
  if (!stored || !secret || stored.credential.state !== 'active') return 'credential_revoked';
  const { credential, account } = stored;
  if (secret.validUntilMs !== null && secret.validUntilMs <= nowMs) return 'credential_revoked';
  if (credential.expiresAtMs !== null && credential.expiresAtMs <= nowMs) {
    return 'credential_expired';
  }
  const accepted = acceptSecret(digest, stored);
  if (!accepted) return 'owner_suspended';
  if (!mayUse(accepted.principal.permissions, 'customer.events.read.v1'))
    return 'permission_removed';
  return account.eventsEnabled ? null : 'events_not_enabled';
}

export function isNetworkAllowed(stored: FoundCredential, clientAddress: string): boolean {
  return allowsAddress(networkPoliciesOf(stored), clientAddress);
}
