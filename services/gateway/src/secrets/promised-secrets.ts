import { createHmac, randomBytes } from 'node:crypto';
import { idempotencyKey } from '@inventory/contracts/http/parameters';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import { secretDigest } from '@inventory/runtime/secret-digest';
import { z } from 'zod';
import type { PromisedSecretStore, SecretPromise } from './promised-secret-store.ts';

/** A request that shows a secret, under an Idempotency-Key. */
export interface KeyedRequest<OwnerId extends string, Secret extends string> {
  /** What the key is of: two requests of one scope with one key are the same. */
  readonly scope: readonly string[];
  readonly key: string;
  /** All that the request states beside its scope. */
  readonly inputs: unknown;
  /** The secret of its owner with this entropy. */
  readonly write: (ownerId: OwnerId, entropy: Uint8Array) => Secret;
}

export interface PromisedSecret<OwnerId extends string, Secret extends string> {
  readonly ownerId: OwnerId;
  readonly secret: Secret;
  /** Whether an earlier request has it already; then it was issued, or that request failed. */
  readonly isRepeated: boolean;
  /** Whether it is known to be issued. */
  readonly isKept: boolean;
}

/** How long an Idempotency-Key of a secret is kept. */
const keyLifetimeMs = 24 * 3_600_000;
const saltBytes = 32;

/** The headers of a request that shows a secret. */
export const secretHeaders = z.object({
  'Idempotency-Key': idempotencyKey
    .optional()
    .describe('Kept for a day: the same request again returns the same secret.'),
});
/** The headers that its response may have, as documented. */
export const secretResponseHeaders = {
  'Idempotency-Replayed': '`true` where the key had been used before.',
};

/** The headers of a response with a secret. */
export function replayHeaders(isRepeated: boolean): Record<string, string> {
  return isRepeated ? { 'Idempotency-Replayed': 'true' } : {};
}

export type PromisedSecrets = ReturnType<typeof createPromisedSecrets>;

/**
 * Secrets that are shown again to the same request under its Idempotency-Key, and stored nowhere. Which one
 * it is, and of what, is promised before anything is issued: whoever repeats the request, at the
 * same time or after a crash, issues the same. A secret is derived from a key of this service, the
 * Idempotency-Key, which is not stored, and a salt that is deleted after a day.
 *
 * @param keys in base64url: the first derives, all find what they derived
 */
export function createPromisedSecrets(
  store: PromisedSecretStore,
  keys: readonly string[],
  clock: Clock,
) {
  const derivingKeys = keys.map((key) => Buffer.from(key, 'base64url'));

  function derive<OwnerId extends string, Secret extends string>(
    { write, key, scope }: KeyedRequest<OwnerId, Secret>,
    ownerId: OwnerId,
    salt: string,
  ): Secret[] {
    const content = JSON.stringify(['promised secret', scope, key, ownerId, salt]);
    return derivingKeys.map((derivingKey) =>
      write(ownerId, createHmac('sha256', derivingKey).update(content).digest()),
    );
  }

  /** Throws `service_unavailable` where this replica lacks the key that a rotation has brought. */
  function opened<OwnerId extends string, Secret extends string>(
    request: KeyedRequest<OwnerId, Secret>,
    { ownerId, salt, digest, isKept }: SecretPromise,
  ): PromisedSecret<OwnerId, Secret> {
    const own = ownerId as OwnerId;
    const secret = derive(request, own, salt).find((one) => secretDigest(one) === digest);
    if (secret === undefined)
      throw new Refused({ code: 'service_unavailable', retry_after_seconds: 60 });
    return { ownerId: own, secret, isRepeated: true, isKept };
  }

  /** What the key has; null where it is new. Throws `idempotency_conflict` for other inputs. */
  async function find<OwnerId extends string, Secret extends string>(
    request: KeyedRequest<OwnerId, Secret>,
  ): Promise<PromisedSecret<OwnerId, Secret> | null> {
    const keyId = keyIdOf(request);
    const found = await store.findPromise(keyId);
    if (found === null) return null;
    if (found.expiresAtMs <= clock.now()) {
      await store.deletePromise(keyId, found.digest);
      return null;
    }
    if (found.inputs !== inputsOf(request)) throw new Refused({ code: 'idempotency_conflict' });
    return opened(request, found);
  }

  return {
    find,
    /** Promises the key a secret of this owner, unless it has one. Throws as {@link find}. */
    async promise<OwnerId extends string, Secret extends string>(
      request: KeyedRequest<OwnerId, Secret>,
      ownerId: OwnerId,
    ): Promise<PromisedSecret<OwnerId, Secret>> {
      for (;;) {
        const found = await find(request);
        if (found !== null) return found;
        const salt = randomBytes(saltBytes).toString('base64url');
        const [secret] = derive(request, ownerId, salt) as [Secret];
        const isMade = await store.insertPromise(keyIdOf(request), {
          inputs: inputsOf(request),
          ownerId,
          salt,
          digest: secretDigest(secret),
          isKept: false,
          expiresAtMs: clock.now() + keyLifetimeMs,
        });
        if (isMade) return { ownerId, secret, isRepeated: false, isKept: false };
      }
    },
    /**
     * Issues what is promised. A refusal takes the promise of its own request back, so that the key is
     * free; one that may succeed later does not.
     */
    async fulfil<OwnerId extends string, Secret extends string, Issued>(
      request: KeyedRequest<OwnerId, Secret>,
      { secret, isRepeated, isKept }: PromisedSecret<OwnerId, Secret>,
      issue: () => Promise<Issued>,
    ): Promise<Issued> {
      const promise = [keyIdOf(request), secretDigest(secret)] as const;
      try {
        const issued = await issue();
        if (!isKept) await store.markKept(...promise);
        return issued;
      } catch (error) {
        const isFinal =
          error instanceof Refused && error.refusal.code !== 'service_unavailable' && !isRepeated;
        if (isFinal) await store.deletePromise(...promise);
        throw error;
      }
    },
  };
}

const keyIdOf = ({ scope, key }: { readonly scope: readonly string[]; readonly key: string }) =>
  secretDigest(JSON.stringify([scope, key]));
const inputsOf = ({ inputs }: { readonly inputs: unknown }) => secretDigest(JSON.stringify(inputs));
