import { isWellFormedSecret } from '@inventory/contracts/credential-secret';
import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { createInvalidatedCache } from '@inventory/runtime/invalidated-cache';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { Principal } from './principal.domain.ts';
import { type AcceptedSecret, acceptSecret, isStillValid } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

/** Longest delay of a change whose message is lost. */
const accepted = { freshMs: 5_000, entriesMax: 10_000 };
const refused = { freshMs: 1_000, entriesMax: 10_000 };

export type PrincipalCache = ReturnType<typeof createPrincipalCache>;

/** Finds the Principals of secrets. */
export function createPrincipalCache(
  findBySecretDigest: TenancyStore['findBySecretDigest'],
  clock: Clock,
) {
  // Keyed by digest: a memory dump contains no more secrets than the requests in flight.
  const secrets = createInvalidatedCache<AcceptedSecret>({
    async load(digest) {
      const found = await findBySecretDigest(digest);
      return found && acceptSecret(digest, found);
    },
    ...accepted,
    missing: refused,
    clock,
  });
  const stillValid = (accepted: AcceptedSecret | null) =>
    accepted && isStillValid(accepted, clock.now()) ? accepted.principal : null;

  return {
    /** The digest by which a secret is stored and looked up. */
    digestOf: secretDigest,
    /**
     * True for a key that has to be looked up and was not found here before: any number of them can
     * be made up. False for one whose refusal is not older than a second.
     */
    isUnseen(secret: string): boolean {
      const digest = secretDigest(secret);
      if (secrets.peek(digest) !== undefined || secrets.isFresh(digest)) return false;
      // The form is checked last: every request comes here, and most keys were seen.
      return isWellFormedSecret(secret);
    },
    /**
     * Null for every key that is not valid now: malformed, unknown, revoked, replaced, expired, of a
     * suspended owner. Rejects only when the store cannot be read.
     */
    async findPrincipal(secret: string): Promise<Principal | null> {
      if (!isWellFormedSecret(secret)) return null;
      return stillValid(await secrets.get(secretDigest(secret)));
    },
    /** The same by the digest of a well-formed secret, as it is stored now. */
    async readPrincipal(digest: string): Promise<Principal | null> {
      const found = await findBySecretDigest(digest);
      return stillValid(found && acceptSecret(digest, found));
    },
    /** Removes the cached Principals of the changed account. */
    invalidate(accountId: AccountId): void {
      secrets.invalidate(({ principal }) => principal.accountId === accountId);
    },
  };
}
