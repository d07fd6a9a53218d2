import { isWellFormedSecret } from '@inventory/contracts/credential-secret';
import type { Clock } from '@inventory/runtime/clock';
import { createInvalidatedCache } from '@inventory/runtime/invalidated-cache';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { AuthorityChange } from './announce-changes.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { Principal } from './principal.domain.ts';
import { type AcceptedSecret, acceptSecret, isStillValid } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

/** Longest delay of a change whose message is lost. */
const accepted = { freshMs: 5_000, entriesMax: 10_000 };
const refused = { freshMs: 1_000, entriesMax: 10_000 };

/** Finds the Principals of secrets. */
export interface PrincipalCache {
  /**
   * Null for every key that is not valid now: malformed, unknown, revoked, replaced, expired, of a
   * suspended owner. Rejects only when the store cannot be read.
   */
  findPrincipal(secret: string): Promise<Principal | null>;
  /**
   * False for a key that has to be looked up and that no Credential is known to have: any number of
   * them can be made up. True for one whose refusal is not older than a second.
   */
  isKnown(secret: string): boolean;
  /** The digest by which a secret is stored and looked up. */
  digestOf(secret: string): string;
  /** Removes the cached Principals of the changed account; the secret that was issued is known. */
  invalidate(change: Pick<AuthorityChange, 'account_id' | 'new_secret'>): void;
}

export function createPrincipalCache(
  store: Pick<TenancyStore, 'findBySecretDigest'>,
  known: Pick<KnownSecrets, 'has' | 'add'>,
  clock: Clock,
): PrincipalCache {
  // Keyed by digest: a memory dump contains no more secrets than the requests in flight.
  const secrets = createInvalidatedCache<AcceptedSecret>({
    async load(digest) {
      const found = await store.findBySecretDigest(digest);
      if (found === null) return null;
      known.add(digest);
      return acceptSecret(digest, found);
    },
    ...accepted,
    missing: refused,
    clock,
  });
  return {
    digestOf: secretDigest,
    isKnown(secret) {
      const digest = secretDigest(secret);
      // The form is checked last: every request asks, and most keys are known.
      return known.has(digest) || secrets.isFresh(digest) || !isWellFormedSecret(secret);
    },
    async findPrincipal(secret) {
      if (!isWellFormedSecret(secret)) return null;
      const found = await secrets.get(secretDigest(secret));
      return found && isStillValid(found, clock.now()) ? found.principal : null;
    },
    invalidate({ account_id: accountId, new_secret: added }) {
      secrets.invalidate(({ principal }) => principal.accountId === accountId);
      if (added !== undefined) known.add(added);
    },
  };
}
