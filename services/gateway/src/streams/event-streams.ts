import type { AccountId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import { type Clock, monotonicNow } from '@inventory/runtime/clock';
import {
  type ClosingReason,
  closingFrame,
  type RevocationReason,
  revokedFrame,
} from './event-frame.domain.ts';

/** What a replica must be able to do with any of its streams. */
export interface EventStream {
  readonly accountId: AccountId;
  /** Of the secret it was opened with; the secret itself is not kept. */
  readonly secretDigest: string;
  readonly clientAddress: string;
  readonly blocked: boolean;
  heartbeat(): void;
  end(lastFrame: string): void;
  /** At once, without what is still queued. */
  destroy(): void;
}

export interface StreamLimits {
  readonly heartbeatMs: number;
  /** Longest life of a connection; each ends at 2/3 of it at the earliest. */
  readonly lifeMaxMs: number;
  /** Longest time without the client taking anything. */
  readonly slowAfterMs: number;
  /** In which all are told to go when the service stops. */
  readonly drainMs: number;
}

/** All streams of this replica: who lives how long, and how all go. */
export interface EventStreams {
  /** From now on the stream is looked after, until what is returned is called. */
  add(stream: EventStream): () => void;
  /** Once a second: heartbeats in turns, ages, slow readers. */
  sendHeartbeats(): void;
  close(stream: EventStream, reason: ClosingReason): void;
  revoke(stream: EventStream, reason: RevocationReason): void;
  readonly all: Iterable<EventStream>;
  readonly size: number;
  /** From the drain on nobody is to be added. */
  readonly draining: boolean;
  /** Tells everybody to go, spread over the drain time; then cuts who is still there. */
  drain(): Promise<void>;
}

export interface EventStreamsDeps {
  readonly clock: Clock;
  readonly limits: StreamLimits;
  readonly onClosed: (reason: ClosingReason | RevocationReason) => void;
}

interface Watched {
  readonly stream: EventStream;
  /** Second of the heartbeat's round in which it is this stream's turn. */
  readonly slot: number;
  readonly endsAtMs: number;
  blockedSinceMs: number | null;
}

const secondMs = 1_000;
const retryAfterMaxMs = 60_000;
const cutAfterMs = 3_000;

export function createEventStreams(deps: EventStreamsDeps): EventStreams {
  const { clock, limits, onClosed } = deps;
  const watched = new Map<EventStream, Watched>();
  const round = Math.max(1, Math.round(limits.heartbeatMs / secondMs));
  let added = 0;
  let seconds = 0;
  let draining = false;

  function close(stream: EventStream, reason: ClosingReason): void {
    onClosed(reason);
    stream.end(closingFrame(reason, retryAfterMs(reason, limits.drainMs)));
    // What a slow reader has not taken it will not take now.
    if (reason === 'slow_consumer') stream.destroy();
  }

  function watch(one: Watched, nowMs: number): void {
    const { stream } = one;
    one.blockedSinceMs = stream.blocked ? (one.blockedSinceMs ?? nowMs) : null;
    if (one.blockedSinceMs !== null && nowMs - one.blockedSinceMs >= limits.slowAfterMs) {
      close(stream, 'slow_consumer');
    } else if (nowMs >= one.endsAtMs) {
      close(stream, 'max_age');
    } else if (seconds % round === one.slot) {
      stream.heartbeat();
    }
  }

  return {
    add(stream) {
      added += 1;
      const endsAtMs = clock.now() + randomBetween((limits.lifeMaxMs * 2) / 3, limits.lifeMaxMs);
      watched.set(stream, { stream, slot: added % round, endsAtMs, blockedSinceMs: null });
      return () => void watched.delete(stream);
    },
    sendHeartbeats() {
      seconds += 1;
      const nowMs = clock.now();
      for (const one of watched.values()) watch(one, nowMs);
    },
    close,
    revoke(stream, reason) {
      onClosed(reason);
      const { blocked } = stream;
      stream.end(revokedFrame(reason));
      // Events that are queued are no longer meant for this client.
      if (blocked) stream.destroy();
    },
    get all() {
      return watched.keys();
    },
    get size() {
      return watched.size;
    },
    get draining() {
      return draining;
    },
    async drain() {
      draining = true;
      const going = [...watched.keys()];
      const startMs = monotonicNow();
      for (const [index, stream] of going.entries()) {
        const dueMs = (limits.drainMs * index) / going.length;
        await until(startMs + dueMs);
        if (watched.has(stream)) close(stream, 'draining');
      }
      if (watched.size > 0) await until(monotonicNow() + cutAfterMs);
      for (const stream of watched.keys()) stream.destroy();
    },
  };
}

/** Spread, so that those who are sent away do not come back together. */
function retryAfterMs(reason: ClosingReason, drainMs: number): number {
  const mostMs: Record<ClosingReason, number> = {
    draining: 2 * drainMs,
    slow_consumer: 15_000,
    max_age: 5_000,
    unavailable: 15_000,
  };
  return randomBetween(secondMs, Math.min(retryAfterMaxMs, Math.max(secondMs, mostMs[reason])));
}

function until(atMs: number): Promise<void> {
  const leftMs = atMs - monotonicNow();
  return leftMs <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, leftMs));
}
