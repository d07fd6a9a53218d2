import type { Clock } from '@inventory/runtime/clock';
import type { KeyedLimits } from '@inventory/runtime/semaphore';
import { deliveriesEnded } from '../../metrics.ts';
import type { DeliverySlot } from '../request-state.ts';

export interface DeliveryLimits {
  readonly limits: KeyedLimits;
  /** What a client takes at least, where its slot is wanted. */
  readonly bytesPerSecondMin: number;
}

export type DeliveryPermit =
  | { readonly result: 'granted'; readonly slot: DeliverySlot }
  | { readonly result: 'key_full' | 'total_full' };

/** Bytes that are written at a time: a client is seen to take them by their completion. */
export const stepBytes = 256 * 1024;
/** Longest pause of a client, beside the time of a step. */
const pauseMaxMs = 10_000;

export type DeliverySlots<Key> = ReturnType<typeof createDeliverySlots<Key>>;

/**
 * Bounds what is held for clients until they have taken it, of each key and in all. Nobody waits for a
 * client that takes next to nothing: where one is refused, those below the least pace are ended for it,
 * of the same key or of any. Without that a few clients could hold all slots at a byte a second.
 */
export function createDeliverySlots<Key>({
  limits,
  bytesPerSecondMin,
  kind,
  clock,
}: DeliveryLimits & { readonly kind: 'page' | 'export'; readonly clock: Clock }) {
  interface Held {
    readonly key: Key;
    size: number;
    /** Closes the connection. */
    readonly end: () => void;
    /** Until when it is as fast as it has to be; null until it has begun. */
    inTimeUntilMs: number | null;
  }
  const slots = new Set<Held>();
  const sizeOf = new Map<Key, number>();
  let total = 0;
  /** What is larger than all that a key may hold is delivered alone. */
  const countedSize = (size: number) => Math.min(size, limits.perKeyMax);
  const msOf = (bytes: number) => (bytes * 1_000) / bytesPerSecondMin;
  const patienceMs = pauseMaxMs + msOf(stepBytes);

  function add({ key }: Held, size: number): void {
    total += size;
    const ofKey = (sizeOf.get(key) ?? 0) + size;
    if (ofKey === 0) sizeOf.delete(key);
    else sizeOf.set(key, ofKey);
  }

  function release(held: Held): void {
    if (slots.delete(held)) add(held, -held.size);
  }

  function missing({ key, size }: Held): 'key_full' | 'total_full' | null {
    if (total + size > limits.totalMax) return 'total_full';
    return (sizeOf.get(key) ?? 0) + size > limits.perKeyMax ? 'key_full' : null;
  }

  const isSlow = ({ inTimeUntilMs }: Held) =>
    inTimeUntilMs !== null && inTimeUntilMs <= clock.now();

  /** Ends slow ones until there is capacity. */
  function freeCapacity(wanted: Held): ReturnType<typeof missing> {
    for (const held of slots) {
      const full = missing(wanted);
      if (full === null) return null;
      if (!isSlow(held) || (full === 'key_full' && held.key !== wanted.key)) continue;
      release(held);
      deliveriesEnded.add(1, { kind });
      held.end();
    }
    return missing(wanted);
  }

  return {
    limits,
    acquire(key: Key, size: number, end: () => void): DeliveryPermit {
      const held: Held = { key, size: countedSize(size), end, inTimeUntilMs: null };
      const full = freeCapacity(held);
      if (full !== null) return { result: full };
      slots.add(held);
      add(held, held.size);
      return {
        result: 'granted',
        slot: {
          taken(bytes) {
            const mostMs = clock.now() + patienceMs;
            const untilMs = (held.inTimeUntilMs ?? mostMs) + msOf(bytes);
            held.inTimeUntilMs = Math.min(untilMs, mostMs);
          },
          resize(size) {
            const added = countedSize(size) - held.size;
            if (slots.has(held)) add(held, added);
            held.size += added;
          },
          release: () => release(held),
        },
      };
    },
  };
}
