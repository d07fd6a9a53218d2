import type { ProjectId } from '@inventory/contracts/ids';
import type { LogPage } from '@inventory/contracts/internal/event-log';
import { fromIsoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Semaphore } from '@inventory/runtime/semaphore';
import { chunkOf } from './chunk.domain.ts';
import {
  type ClosingReason,
  eventFrame,
  heartbeatFrame,
  recoveryFrame,
} from './event-frame.domain.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import type { HubReader, ProjectHub } from './project-hub.ts';
import {
  type RecoveryReason,
  recoveryNeeded,
  type StreamPosition,
} from './stream-position.domain.ts';

/** The connection of a stream, as a session uses it. */
export interface StreamSink {
  /** Writes whole chunks. False when its queue is full; `drained` is called when it is empty. */
  write(chunks: Buffer): boolean;
  /** Writes a last frame, if possible, and closes the connection. */
  end(lastFrame: string): void;
}

export interface SessionDeps {
  readonly log: EventStreamClient;
  readonly sealPosition: (projectId: ProjectId, place: StreamPosition) => string;
  /** Bounds the concurrent reads from the log. */
  readonly replays: Pick<Semaphore, 'run'>;
  /** Waits before a retry; false after the last one. */
  readonly pauseAfterFailure: (failures: number) => Promise<boolean>;
  readonly logger: Logger;
}

export interface SessionStart {
  readonly hub: ProjectHub;
  readonly place: StreamPosition;
  readonly sink: StreamSink;
  /** Ends the stream; the client may reconnect. */
  readonly close: (reason: ClosingReason) => void;
}

const replayPage = 200;
const chunkBytesMax = 64 * 1024;
const heartbeatChunk = chunkOf(heartbeatFrame);
const notWaiting = () => {};

/**
 * One client that reads the events of one Project from its position on, without gap or duplicate.
 * The position is the whole state: the next event is read from the ring of the hub, else from the
 * log. So a slow client needs no queue, and there is nothing to merge when it has caught up.
 */
export class StreamSession implements HubReader {
  readonly #deps: SessionDeps;
  readonly #hub: ProjectHub;
  readonly #sink: StreamSink;
  readonly #close: SessionStart['close'];
  readonly #logEpoch: number;
  #position: number;
  #blocked = false;
  #written = false;
  #replaying = false;
  #ended = false;
  #resume: () => void = notWaiting;

  constructor(deps: SessionDeps, { hub, place, sink, close }: SessionStart) {
    this.#deps = deps;
    this.#hub = hub;
    this.#sink = sink;
    this.#logEpoch = place.logEpoch;
    this.#position = place.position;
    this.#close = close;
    hub.attach(this);
  }

  get position(): number {
    return this.#position;
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
      this.#write(chunk.bytes);
    }
  }

  /** Writes a frame that is no event of the log. */
  write(frame: string): void {
    this.#write(chunkOf(frame));
  }

  heartbeat(): void {
    if (!this.#blocked) this.#write(heartbeatChunk);
  }

  /** Whether anything was written since the last call. */
  takeWritten(): boolean {
    const written = this.#written;
    this.#written = false;
    return written;
  }

  /** The connection has sent all its data. */
  drained(): void {
    this.#blocked = false;
    this.#resume();
    this.sendPending();
  }

  /** Only the log has the range that the client has to recover. */
  logChanged(): void {
    this.#replaying = true;
    const { log, replays } = this.#deps;
    replays
      .run(() => log.readLogPage(this.#hub.projectId, 0, 1))
      .then(
        (page) => this.#recover('log_epoch_changed', page),
        () => this.#close('unavailable'),
      );
  }

  /** Ends with a last frame; nothing is written after it. */
  end(lastFrame: string): void {
    if (this.#ended) return;
    this.detach();
    this.#sink.end(lastFrame);
  }

  /** The connection is closed. */
  detach(): void {
    this.#ended = true;
    this.#hub.detach(this);
    this.#resume();
  }

  #write(chunks: Buffer): void {
    if (this.#ended) return;
    this.#written = true;
    if (!this.#sink.write(chunks)) this.#blocked = true;
  }

  #mayWrite(): boolean {
    return !this.#ended && !this.#blocked && !this.#replaying;
  }

  /** Reads the log until the ring has the next event. */
  async #replay(): Promise<void> {
    this.#replaying = true;
    for (let failures = 0; !this.#ended && this.#position < this.#hub.ring.from; ) {
      try {
        await this.#replayPage();
        failures = 0;
      } catch (error) {
        failures += 1;
        this.#deps.logger.warn({ err: error, failures }, 'events not replayed');
        if (!(await this.#deps.pauseAfterFailure(failures))) {
          this.#close('unavailable');
          return;
        }
      }
      await this.#taken();
    }
    this.#replaying = false;
    this.sendPending();
  }

  async #replayPage(): Promise<void> {
    const { log, replays, sealPosition } = this.#deps;
    const { projectId } = this.#hub;
    const page = await replays.run(() => log.readLogPage(projectId, this.#position, replayPage));
    if (this.#ended) return;
    // A replica of the event-stream that was not restarted since the epoch was raised.
    if (page.log_epoch < this.#logEpoch) throw new Error('the log was read at an earlier epoch');
    const reason = recoveryNeeded(
      { logEpoch: this.#logEpoch, position: this.#position },
      extentOf(page),
    );
    if (reason) {
      this.#recover(reason, page);
      return;
    }
    const last = page.items.at(-1);
    if (!last) throw new Error('the log has fewer events than were published');
    const frames = page.items.map(({ position, event }) => {
      const place = { logEpoch: this.#logEpoch, position, asOfMs: fromIsoTime(event.occurred_at) };
      return eventFrame(sealPosition(projectId, place), event);
    });
    this.#position = last.position;
    this.#write(chunkOf(frames.join('')));
  }

  #recover(reason: RecoveryReason, page: LogPage): void {
    const { projectId } = this.#hub;
    this.end(recoveryOf(reason, page, (place) => this.#deps.sealPosition(projectId, place)));
  }

  async #taken(): Promise<void> {
    if (!this.#blocked || this.#ended) return;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
  }
}

export function extentOf(page: LogPage) {
  return {
    logEpoch: page.log_epoch,
    headPosition: page.head_position,
    earliestPosition: page.earliest_position,
  };
}

/** The position before the oldest retained event. */
export function keptFrom(page: LogPage): StreamPosition {
  return {
    logEpoch: page.log_epoch,
    position: page.earliest_position - 1,
    asOfMs: page.earliest_at === null ? 0 : fromIsoTime(page.earliest_at),
  };
}

/** The control frame with the start of the retained log. */
export function recoveryOf(
  reason: RecoveryReason,
  page: LogPage,
  sealPosition: (place: StreamPosition) => string,
): string {
  return recoveryFrame({
    reason,
    earliest_as_of: page.earliest_at,
    resume_cursor: sealPosition(keptFrom(page)),
  });
}
