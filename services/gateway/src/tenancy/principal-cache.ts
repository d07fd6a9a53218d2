import type { Clock } from '@inventory/runtime/clock';
import { LRUCache } from 'lru-cache';
import type { AuthorityChange } from './announce-change.ts';
import type { Authority } from './authority.domain.ts';
import { isWellFormedSecret } from './credential-secret.domain.ts';
import { secretDigest } from './secret-digest.ts';
import { type AcceptedSecret, acceptSecret, isStillValid } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

/** Longest time that a change goes unseen when its announcement is lost. */
const knownForMs = 5_000;
const unknownForMs = 1_000;
const knownMax = 10_000;
const unknownMax = 10_000;

/** Tells what a secret stands for. */
export interface PrincipalCache {
  /**
   * Null for everything that is no key now: malformed, unknown, revoked, replaced, expired, of a
   * suspended owner. Rejects only when the store cannot be read.
   */
  find(secret: string): Promise<Authority | null>;
  /** What is stored and looked up instead of a secret. */
  digestOf(secret: string): string;
  /** Forgets what is cached of the account that changed. */
  invalidate(change: Pick<AuthorityChange, 'account_id'>): void;
}

interface Known {
  readonly accepted: AcceptedSecret;
  readonly readAtMs: number;
}

export function createPrincipalCache(
  store: Pick<TenancyStore, 'findBySecretDigest'>,
  clock: Clock,
): PrincipalCache {
  // Keyed by digest: a memory dump must not hold more secrets than the requests in flight.
  const known = new LRUCache<string, Known>({ max: knownMax });
  const unknown = new LRUCache<string, { readAtMs: number }>({ max: unknownMax });
  const reads = new Map<string, Promise<AcceptedSecret | null>>();
  let changes = 0;

  async function read(digest: string): Promise<AcceptedSecret | null> {
    // Counted from before the read: what it finds may be as old as this.
    const readAtMs = clock.now();
    const changesBefore = changes;
    const found = await store.findBySecretDigest(digest);
    const accepted = found && acceptSecret(digest, found.credential, found.project, found.account);
    // What was read before a change came in is answered once and not kept.
    if (changes !== changesBefore) return accepted;
    if (accepted) known.set(digest, { accepted, readAtMs });
    else unknown.set(digest, { readAtMs });
    return accepted;
  }

  /** One read serves all requests that ask for the same secret meanwhile. */
  function readOnce(digest: string): Promise<AcceptedSecret | null> {
    const running = reads.get(digest);
    if (running) return running;
    const started = read(digest).finally(() => {
      if (reads.get(digest) === started) reads.delete(digest);
    });
    reads.set(digest, started);
    return started;
  }

  function isFresh(entry: { readAtMs: number }, forMs: number): boolean {
    const ageMs = clock.now() - entry.readAtMs;
    return ageMs >= 0 && ageMs < forMs;
  }

  return {
    digestOf: secretDigest,
    async find(secret) {
      if (!isWellFormedSecret(secret)) return null;
      const digest = secretDigest(secret);
      const missing = unknown.get(digest);
      if (missing && isFresh(missing, unknownForMs)) return null;
      const kept = known.get(digest);
      const accepted = kept && isFresh(kept, knownForMs) ? kept.accepted : await readOnce(digest);
      return accepted && isStillValid(accepted, clock.now()) ? accepted.authority : null;
    },
    invalidate({ account_id: accountId }) {
      changes += 1;
      reads.clear();
      // Whose a refused secret was is not kept: after a change it may be anybody's.
      unknown.clear();
      for (const [digest, { accepted }] of known.entries()) {
        if (accepted.authority.accountId === accountId) known.delete(digest);
      }
    },
  };
}
