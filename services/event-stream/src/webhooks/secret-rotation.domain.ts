import type { webhookRotation } from '@inventory/contracts/http/webhooks';
import type { z } from 'zod';

type Rotation = z.output<typeof webhookRotation>;

export interface EndpointSecret {
  /** As shown to the customer: `whsec_` and base64. */
  readonly secret: string;
  readonly createdAtMs: number;
  /** When a replaced secret stops signing; null for the newest one. */
  readonly endsAtMs: number | null;
}

/** A rotation under an Idempotency-Key: within its lifetime the key has the same secret. */
export interface SecretRotation extends Rotation {
  readonly idempotencyKey: string;
  /** The secret that it created. */
  readonly secret: string;
  readonly atMs: number;
}

interface EndpointSecrets {
  /** The newest first. */
  readonly secrets: readonly EndpointSecret[];
  /** Oldest first. */
  readonly rotations: readonly SecretRotation[];
}

export interface WantedRotation extends Rotation {
  readonly idempotencyKey?: string | undefined;
}

export type RotationDecision =
  | ({ readonly result: 'rotated' } & EndpointSecrets)
  | { readonly result: 'repeated'; readonly secret: string }
  /** The key was used with other inputs. */
  | { readonly result: 'conflict' }
  /** Two secrets sign until then. */
  | { readonly result: 'in_progress'; readonly endsAtMs: number };

/** Secrets that sign a request, newest first: two during an overlap. */
export function signingSecrets(secrets: readonly EndpointSecret[], nowMs: number): string[] {
  return secrets
    .filter(({ endsAtMs }) => endsAtMs === null || endsAtMs > nowMs)
    .map(({ secret }) => secret);
}

const keyLifetimeMs = 24 * 3_600_000;
/** Stored rotations of an endpoint; beyond it the oldest key is forgotten. */
const rotationsMax = 20;

/**
 * Rotates a secret once per key. A second rotation while two secrets sign would end the older one
 * before its receiver has the newer one, so it has to be forced.
 */
export function decideRotation(
  { secrets, rotations }: EndpointSecrets,
  { idempotencyKey, overlapSeconds, force }: WantedRotation,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): RotationDecision {
  const kept = rotations.filter(({ atMs }) => isKeyKept(atMs, nowMs));
  const isKeyed = idempotencyKey !== undefined;
  const earlier = isKeyed ? kept.find((one) => one.idempotencyKey === idempotencyKey) : undefined;
  if (earlier !== undefined) {
    const isSame = earlier.overlapSeconds === overlapSeconds && earlier.force === force;
    return isSame ? { result: 'repeated', secret: earlier.secret } : { result: 'conflict' };
  }
  const ending = secrets.find(({ endsAtMs }) => endsAtMs !== null && endsAtMs > nowMs);
  if (ending?.endsAtMs != null && !force) {
    return { result: 'in_progress', endsAtMs: ending.endsAtMs };
  }
  const rotation = isKeyed ? [{ idempotencyKey, overlapSeconds, force, secret, atMs: nowMs }] : [];
  return {
    result: 'rotated',
    secrets: rotated(secrets, { secret, overlapMs: overlapSeconds * 1_000, nowMs }),
    rotations: [...kept, ...rotation].slice(-rotationsMax),
  };
}

/** Whether the key of a rotation has not expired. */
export function isKeyKept(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < keyLifetimeMs;
}

/**
 * Adds a new secret; the present one ends after the overlap. A previous one is removed at once:
 * there are never more than two.
 */
function rotated(
  secrets: readonly EndpointSecret[],
  { secret, overlapMs, nowMs }: { secret: string; overlapMs: number; nowMs: number },
): EndpointSecret[] {
  const present = secrets.filter(({ endsAtMs }) => endsAtMs === null);
  return [
    { secret, createdAtMs: nowMs, endsAtMs: null },
    ...present.map((old) => ({ ...old, endsAtMs: nowMs + overlapMs })),
  ];
}
