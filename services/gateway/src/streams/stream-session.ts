import type { AccountId } from '@inventory/contracts/ids';
import type { LogBatch } from '@inventory/contracts/internal/event-log';
import { randomBetween } from '@inventory/runtime/backoff';
import { isoTime } from '@inventory/runtime/clock';
import {
  type ClosingReason,
  checkpointFrame,
  chunkOf,
  chunksOfTypes,
  closingFrame,
  eventFrame,
  heartbeatFrame,
  type RevocationReason,
  retryAfterMaxMs,
  retryAfterMinMs,
  revokedFrame,
} from './event-frame.domain.ts';
import { extentOf, recoveryOf } from './log-recovery.ts';
import type { HubReader, ProjectHub } from './project-hub.ts';
import type { SessionContext } from './session-context.ts';
import type { StreamConnection } from './stream-connection.ts';
import {
  type RecoveryReason,
  recoveryNeeded,
  type StreamPosition,
} from './stream-position.domain.ts';

/** Of the request, what is kept for the life of its stream. */
export interface StreamReader {
  readonly accountId: AccountId;
  /** Digest of its secret; the secret itself is not kept. */
  readonly secretDigest: string;
  readonly clientAddress: string;
}

export interface SessionStart {
  readonly reader: StreamReader;
  readonly hub: ProjectHub;
  /** The session continues after it. */
  readonly after: StreamPosition;
  /** Of the events that are sent; null for all. */
  readonly types: ReadonlySet<string> | null;
  readonly connection: StreamConnection;
}

const replayBatch = 200;
const chunkBytesMax = 64 * 1024;
const secondMs = 1_000;
/** Over these the heartbeats of streams are spread that were written to at the same time. */
const spreadSeconds = 4;
const heartbeatChunk = chunkOf(heartbeatFrame);
const notWaiting = () => {};

/**
 * One client that reads the events of one Project from its position on, without gap or duplicate.
 * The position is the whole state: the next event is read from the ring of the hub, else from the
 * log. So a slow client needs no queue, and there is nothing to merge when it has caught up.
 *
 * There are thousands of these: a stream is its connection, its session and its slot.
 */
export class StreamSession implements HubReader, StreamReader {
  readonly accountId: AccountId;
  readonly secretDigest: string;
  readonly clientAddress: string;
  readonly #context: SessionContext;
  readonly #hub: ProjectHub;
  readonly #connection: StreamConnection;
  readonly #logEpoch: number;
  readonly #types: ReadonlySet<string> | null;
  #position: number;
  /** Events were left out since the client was told of a position. */
  #isAhead = false;
  #replaying = false;
  #ended = false;
  #resume: () => void = notWaiting;
  /** Until it is old. Counted: a clock that is set ends no stream and prolongs none. */
  #secondsLeft: number;
  readonly #spread = randomBetween(0, spreadSeconds - 1);
  #written = false;
  /** Seconds since something was written, at most {@link spreadSeconds} more. */
  #quiet = 0;
  #taken = 0;
  /** Seconds without progress. */
  #stuck = 0;

  constructor(context: SessionContext, { reader, hub, after, types, connection }: SessionStart) {
    this.accountId = reader.accountId;
    this.secretDigest = reader.secretDigest;
    this.clientAddress = reader.clientAddress;
    this.#context = context;
    this.#hub = hub;
    this.#connection = connection;
    this.#logEpoch = after.logEpoch;
    this.#position = after.position;
    this.#types = types;
    const { lifeMaxMs } = context.limits;
    this.#secondsLeft = randomBetween((lifeMaxMs * 2) / 3, lifeMaxMs) / secondMs;
    hub.attach(this);
  }

  /** Writes the available frames, as far as the connection accepts them. */
  sendPending(): void {
    const { ring } = this.#hub;
    while (this.#mayWrite() && this.#position < ring.last) {
      const chunk = ring.after(this.#position, chunkBytesMax);
      if (chunk === null) {
        void this.#replay();
        return;
      }
      this.#position = chunk.last;
      this.#writeEvents(chunk.bytes);
    }
  }

  /** Writes a frame that is not an event of the log. */
  write(frame: string): void {
    this.#write(chunkOf(frame));
  }

  /** The connection has sent all its data. */
  drained(): void {
    this.#resume();
    this.sendPending();
  }

  /** Only the log has the range that the client has to recover. */
  logChanged(): void {
    this.#replaying = true;
    const { log, replays } = this.#context;
    replays
      .run(() => log.readLogBatch(this.#hub.projectId, 0, 1))
      .then(
        (batch) => this.#recover('log_epoch_changed', batch),
        () => this.close('unavailable'),
      );
  }

  /** Called once a second: ends an old stream and that of a slow client, sends a heartbeat to a quiet one. */
  tick(): void {
    if (this.#ended) return;
    const { slowAfterMs, heartbeatMs } = this.#context.limits;
    this.#quiet = this.#written ? 1 + this.#spread : this.#quiet + 1;
    this.#written = false;
    this.#stuck = this.#hasProgress() ? 0 : this.#stuck + 1;
    this.#secondsLeft -= 1;
    if (this.#stuck >= slowAfterMs / secondMs) this.close('slow_consumer');
    else if (this.#secondsLeft <= 0) this.close('max_age');
    else if (this.#quiet >= heartbeatMs / secondMs) {
      if (!this.#connection.isFull) this.#connection.write(this.#heartbeat());
      this.#quiet = 0;
    }
  }

  /** Ends the stream; its client may reconnect. */
  close(reason: ClosingReason): void {
    if (this.#ended) return;
    const { limits, onClosed } = this.#context;
    onClosed(reason);
    this.end(
      closingFrame(reason, randomBetween(retryAfterMinMs, retryAfterMaxMs(reason, limits.drainMs))),
    );
    // A slow client would not accept the queued data either.
    if (reason === 'slow_consumer') this.cut();
  }

  /** Ends the stream; its client must not reconnect. */
  revoke(reason: RevocationReason): void {
    if (this.#ended) return;
    this.#context.onClosed(reason);
    const { queued } = this.#connection;
    this.end(revokedFrame(reason));
    // The client may no longer receive the queued events.
    if (queued > 0) this.cut();
  }

  /** Ends with a last frame; nothing is written after it. */
  end(lastFrame: string): void {
    if (this.#ended) return;
    this.detach();
    this.#connection.end(lastFrame);
  }

  /** Closes the connection at once and discards what is queued. */
  cut(): void {
    this.#connection.cut();
  }

  /** The connection is closed. */
  detach(): void {
    this.#ended = true;
    this.#hub.detach(this);
    this.#resume();
  }

  /** A comment; where events were left out, the position after them: the client's one stays readable. */
  #heartbeat(): Buffer {
    const { projectId, ring } = this.#hub;
    if (!this.#isAhead || this.#replaying || this.#position < ring.last) return heartbeatChunk;
    this.#isAhead = false;
    const asOfMs = this.#context.clock.now();
    const at = { logEpoch: this.#logEpoch, position: this.#position, asOfMs };
    return chunkOf(checkpointFrame(this.#context.sealPosition(projectId, at), isoTime(asOfMs)));
  }

  /** Chunks with an event each. An empty one would end the body. */
  #writeEvents(chunks: Buffer): void {
    const wanted = this.#types ? chunksOfTypes(chunks, this.#types) : chunks;
    if (wanted.length < chunks.length) this.#isAhead = true;
    if (wanted.length > 0) this.#write(wanted);
  }

  #write(chunks: Buffer): void {
    if (this.#ended) return;
    this.#written = true;
    this.#connection.write(chunks);
  }

  #mayWrite(): boolean {
    return !this.#ended && !this.#connection.isFull && !this.#replaying;
  }

  /** The operating system takes data for a client that is gone until its buffers are full. */
  #hasProgress(): boolean {
    const silent = this.#context.silentPeers();
    if (silent.size > 0 && silent.has(this.#connection.remote)) return false;
    const before = this.#taken;
    this.#taken = this.#connection.taken;
    return this.#connection.queued === 0 || this.#taken > before;
  }

  /** Reads the log until the ring has the next event. */
  async #replay(): Promise<void> {
    this.#replaying = true;
    for (let failures = 0; !this.#ended && this.#position < this.#hub.ring.from; ) {
      try {
        await this.#replayBatch();
        failures = 0;
      } catch (error) {
        failures += 1;
        this.#context.logger.warn({ err: error, failures }, 'events not replayed');
        if (!(await this.#context.pauseAfterFailure(failures))) return this.close('unavailable');
      }
      await this.#drained();
    }
    this.#replaying = false;
    this.sendPending();
  }

  async #replayBatch(): Promise<void> {
    const { log, replays, sealPosition } = this.#context;
    const { projectId } = this.#hub;
    const batch = await replays.run(() => log.readLogBatch(projectId, this.#position, replayBatch));
    if (this.#ended) return;
    // A replica of the event-stream that was not restarted since the epoch was raised.
    if (batch.logEpoch < this.#logEpoch) throw new Error('the log was read at an earlier epoch');
    const reason = recoveryNeeded(
      { logEpoch: this.#logEpoch, position: this.#position },
      extentOf(batch),
    );
    if (reason) return this.#recover(reason, batch);
    const last = batch.items.at(-1);
    if (!last) throw new Error('the log has fewer events than were published');
    const frames = batch.items.map(({ position, event }) => {
      const at = { logEpoch: this.#logEpoch, position, asOfMs: event.occurredAtMs };
      return chunkOf(eventFrame(sealPosition(projectId, at), event));
    });
    this.#position = last.position;
    this.#writeEvents(Buffer.concat(frames));
  }

  #recover(reason: RecoveryReason, batch: LogBatch): void {
    const { projectId } = this.#hub;
    this.end(recoveryOf(reason, batch, (at) => this.#context.sealPosition(projectId, at)));
  }

  async #drained(): Promise<void> {
    if (!this.#connection.isFull || this.#ended) return;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
  }
}
