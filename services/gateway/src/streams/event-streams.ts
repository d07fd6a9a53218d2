import type { AccountId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import { type Clock, monotonicNow } from '@inventory/runtime/clock';
import {
  type ClosingReason,
  closingFrame,
  type RevocationReason,
  revokedFrame,
} from './event-frame.domain.ts';
import { createStreamIndex } from './stream-index.ts';

/** An open stream, as far as the replica manages it. */
export interface EventStream {
  readonly accountId: AccountId;
  /** Digest of its secret; the secret itself is not kept. */
  readonly secretDigest: string;
  readonly clientAddress: string;
  /** The other end of its connection, as `SilentPeers` has it. */
  readonly remote: string;
  /** Bytes that the socket has not taken. */
  readonly queued: number;
  /** Bytes that the socket has taken since it opened. */
  readonly taken: number;
  heartbeat(): void;
  /** Whether anything was written since the last call. */
  takeWritten(): boolean;
  end(lastFrame: string): void;
  /** Closes the connection at once and discards what is queued. */
  destroy(): void;
}

export interface StreamLimits {
  readonly heartbeatMs: number;
  /** Longest life of a connection; each ends at 2/3 of it at the earliest. */
  readonly lifeMaxMs: number;
  /** Longest time without progress: nothing of what is queued is taken, or of what was sent acknowledged. */
  readonly slowAfterMs: number;
  /** Time over which the streams are closed when the service stops. */
  readonly drainMs: number;
}

/** The open streams of this replica: their heartbeats, maximum age and drain. */
export interface EventStreams {
  /** Manages the stream until the returned function is called. */
  add(stream: EventStream): () => void;
  /** Called once a second: sends heartbeats to quiet streams, closes old ones and slow clients. */
  sendHeartbeats(): void;
  close(stream: EventStream, reason: ClosingReason): void;
  revoke(stream: EventStream, reason: RevocationReason): void;
  /** The open streams by digest of their secret. */
  readonly bySecret: ReadonlyMap<string, ReadonlySet<EventStream>>;
  /** Digests of the secrets of an account with open streams. */
  secretsOf(accountId: AccountId): Iterable<string>;
  readonly size: number;
  /** True from the start of the drain: no stream may be added. */
  readonly draining: boolean;
  /** Closes all streams, spread over the drain time; then closes the remaining connections. */
  drain(): Promise<void>;
}

export interface EventStreamsDeps {
  readonly clock: Clock;
  readonly limits: StreamLimits;
  /** Those that acknowledge nothing now, of all connections. */
  readonly silentPeers: () => ReadonlySet<string>;
  readonly onClosed: (reason: ClosingReason | RevocationReason) => void;
}

interface Watched {
  readonly stream: EventStream;
  /** Spreads the heartbeats of streams that were written to at the same time. */
  readonly number: number;
  /** Seconds since something was written, at most {@link spreadSeconds} more. */
  quiet: number;
  readonly endsAtMs: number;
  taken: number;
  progressAtMs: number;
  /** Its last frame was written: only its connection is still open. */
  isEnding: boolean;
}

const secondMs = 1_000;
const retryAfterMaxMs = 60_000;
const cutAfterMs = 3_000;
const spreadSeconds = 4;

export function createEventStreams(deps: EventStreamsDeps): EventStreams {
  const { clock, limits, onClosed } = deps;
  const watched = new Map<EventStream, Watched>();
  const index = createStreamIndex<EventStream>();
  const round = Math.max(1, Math.round(limits.heartbeatMs / secondMs));
  let added = 0;
  let draining = false;

  /** False when the stream is ending already, or gone: a stream is closed and counted once. */
  function startEnding(stream: EventStream, reason: ClosingReason | RevocationReason): boolean {
    const one = watched.get(stream);
    if (one === undefined || one.isEnding) return false;
    one.isEnding = true;
    onClosed(reason);
    return true;
  }

  function close(stream: EventStream, reason: ClosingReason): void {
    if (!startEnding(stream, reason)) return;
    stream.end(closingFrame(reason, retryAfterMs(reason, limits.drainMs)));
    // A slow client would not accept the queued data either.
    if (reason === 'slow_consumer') stream.destroy();
  }

  /** The operating system takes data for a client that is gone until its buffers are full. */
  function hasProgress(one: Watched): boolean {
    const { stream, taken } = one;
    const silent = deps.silentPeers();
    if (silent.size > 0 && silent.has(stream.remote)) return false;
    one.taken = stream.taken;
    return stream.queued === 0 || one.taken > taken;
  }

  function watch(one: Watched, nowMs: number): void {
    const { stream } = one;
    if (one.isEnding) return;
    one.quiet = stream.takeWritten() ? 1 + (one.number % spreadSeconds) : one.quiet + 1;
    if (hasProgress(one)) one.progressAtMs = nowMs;
    if (nowMs - one.progressAtMs >= limits.slowAfterMs) {
      close(stream, 'slow_consumer');
    } else if (nowMs >= one.endsAtMs) {
      close(stream, 'max_age');
    } else if (one.quiet >= round) {
      stream.heartbeat();
      stream.takeWritten();
      one.quiet = 0;
    }
  }

  return {
    add(stream) {
      added += 1;
      const nowMs = clock.now();
      const endsAtMs = nowMs + randomBetween((limits.lifeMaxMs * 2) / 3, limits.lifeMaxMs);
      const spread = { number: added, quiet: added % round };
      const progress = { taken: 0, progressAtMs: nowMs };
      watched.set(stream, { stream, ...spread, endsAtMs, ...progress, isEnding: false });
      // Admitted before the drain began: it is closed after its checkpoint.
      if (draining) setImmediate(close, stream, 'draining');
      index.add(stream);
      return () => {
        if (watched.delete(stream)) index.remove(stream);
      };
    },
    sendHeartbeats() {
      const nowMs = clock.now();
      for (const one of watched.values()) watch(one, nowMs);
    },
    close,
    revoke(stream, reason) {
      if (!startEnding(stream, reason)) return;
      const { queued } = stream;
      stream.end(revokedFrame(reason));
      // The client may no longer receive the queued events.
      if (queued > 0) stream.destroy();
    },
    bySecret: index.bySecret,
    secretsOf: index.secretsOf,
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
        close(stream, 'draining');
      }
      if (watched.size > 0) await until(monotonicNow() + cutAfterMs);
      for (const stream of watched.keys()) stream.destroy();
    },
  };
}

/** Spread, so that the clients do not reconnect at the same time. */
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
