import { createDigestSet } from './digest-set.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

/** Up to 32 MiB, and as much again while they are read. */
export const knownSecretsMax = 3 * 2 ** 20;

/**
 * The digests of the secrets of all Credentials: a key with one of them is looked up at any time. One
 * that is not here may have been issued elsewhere a moment ago; one that is here may be
 * revoked, or replaced since the last read.
 */
export interface KnownSecrets {
  has(digest: string): boolean;
  /** Adds a digest, or the first `digitsKept` digits of one. */
  add(digest: string): void;
  /** Reads all of them from the store: what was added, as by messages, may have been lost. */
  read(): Promise<void>;
  readonly size: number;
}

export function createKnownSecrets(
  store: Pick<TenancyStore['credentials'], 'readSecretDigests'>,
  secretsMax = knownSecretsMax,
): KnownSecrets {
  let known = createDigestSet(secretsMax);
  let next: typeof known | null = null;

  return {
    has: (digest) => known.has(digest),
    add(digest) {
      known.add(digest);
      next?.add(digest);
    },
    async read() {
      const reading = createDigestSet(secretsMax);
      next = reading;
      try {
        for await (const digest of store.readSecretDigests()) reading.add(digest);
        known = reading;
      } finally {
        next = null;
      }
    },
    get size() {
      return known.size;
    },
  };
}
