import type { ProjectId } from '@inventory/contracts/ids';
import type { LogPage } from '@inventory/contracts/internal/event-log';
import { fromIsoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Semaphore } from '@inventory/runtime/semaphore';
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

/** The connection of a stream, as far as a session needs to know it. */
export interface StreamSink {
  /** False when it should take what it has before it is given more; `drained` is called then. */
  write(bytes: Buffer): boolean;
  /** Writes a last frame, if it still takes any, and ends the connection. */
  end(lastFrame: string): void;
}

export interface SessionDeps {
  readonly log: EventStreamClient;
  readonly sealPosition: (projectId: ProjectId, place: StreamPosition) => string;
  /** Lets a bounded number of reads from the log run at once. */
  readonly replays: Pick<Semaphore, 'run'>;
  /** Waits before another try; false when there were enough. */
  readonly pauseAfterFailure: (failures: number) => Promise<boolean>;
  /** Ends the stream so that its reader comes back. */
  readonly close: (reason: ClosingReason) => void;
  readonly logger: Logger;
}

const replayPage = 200;
const chunkBytesMax = 64 * 1024;
const heartbeatBytes = Buffer.from(heartbeatFrame);

/**
 * One client that follows one Project, from its place on, without gap or repetition. The whole
 * state is its position: what follows is taken from the hub's ring where it is held there, else
 * from the log. So a slow client costs no queue, and there is nothing to merge when it caught up.
 */
export class StreamSession implements HubReader {
  readonly #deps: SessionDeps;
  readonly #hub: ProjectHub;
  readonly #sink: StreamSink;
  readonly #logEpoch: number;
  readonly #leave: () => void;
  #position: number;
  #blocked = false;
  #replaying = false;
  #ended = false;
  #resume: () => void = () => {};

  constructor(deps: SessionDeps, hub: ProjectHub, place: StreamPosition, sink: StreamSink) {
    this.#deps = deps;
    this.#hub = hub;
    this.#sink = sink;
    this.#logEpoch = place.logEpoch;
    this.#position = place.position;
    this.#leave = hub.attach(this);
  }

  get position(): number {
    return this.#position;
  }

  get blocked(): boolean {
    return this.#blocked;
  }

  /** Writes what follows, as far as it is there and the connection takes it. */
  sendPending(): void {
    const { ring } = this.#hub;
    while (this.#mayWrite() && this.#position < ring.last) {
      const chunk = ring.after(this.#position, chunkBytesMax);
      if (chunk === null) {
        void this.#replay();
        return;
      }
      this.#position = chunk.last;
      this.write(chunk.bytes);
    }
  }

  /** A frame that is no event of the log. */
  write(bytes: Buffer): void {
    if (!this.#ended && !this.#sink.write(bytes)) this.#blocked = true;
  }

  heartbeat(): void {
    if (!this.#blocked) this.write(heartbeatBytes);
  }

  /** The connection took what it had. */
  drained(): void {
    this.#blocked = false;
    this.#resume();
    this.sendPending();
  }

  /** What has to be recovered only the log can tell. */
  logChanged(): void {
    this.#replaying = true;
    const { log, replays, close } = this.#deps;
    replays
      .run(() => log.readLogPage(this.#hub.projectId, 0, 1))
      .then(
        (page) => this.#recover('log_epoch_changed', page),
        () => close('unavailable'),
      );
  }

  /** Ends with a last frame; nothing is written after it. */
  end(lastFrame: string): void {
    if (this.#ended) return;
    this.detach();
    this.#sink.end(lastFrame);
  }

  /** The connection is gone. */
  detach(): void {
    this.#ended = true;
    this.#leave();
    this.#resume();
  }

  #mayWrite(): boolean {
    return !this.#ended && !this.#blocked && !this.#replaying;
  }

  /** Reads the log until the ring holds what follows. */
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
          this.#deps.close('unavailable');
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
    const reason = recoveryNeeded(
      { logEpoch: this.#logEpoch, position: this.#position },
      extentOf(page),
    );
    if (reason) {
      this.#recover(reason, page);
      return;
    }
    const last = page.items.at(-1);
    if (!last) throw new Error('the log holds less than was announced');
    const frames = page.items.map(({ position, event }) => {
      const place = { logEpoch: this.#logEpoch, position, asOfMs: fromIsoTime(event.occurred_at) };
      return eventFrame(sealPosition(projectId, place), event);
    });
    this.#position = last.position;
    this.write(Buffer.from(frames.join('')));
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

/** The place just before the oldest event that is kept. */
export function keptFrom(page: LogPage): StreamPosition {
  return {
    logEpoch: page.log_epoch,
    position: page.earliest_position - 1,
    asOfMs: page.earliest_at === null ? 0 : fromIsoTime(page.earliest_at),
  };
}

/** Tells a reader where what is kept begins. */
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
