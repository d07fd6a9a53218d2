import type { ProjectId } from '@inventory/contracts/ids';
import type { LogBatch } from '@inventory/contracts/internal/event-log';
import type { AppendedEvent } from '@inventory/contracts/messages/project-events';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { chunkOf, eventFrame } from './event-frame.domain.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { createProjectRing, type ProjectRing, type RingLimits } from './project-ring.domain.ts';
import { eventsDelivered } from './stream-metrics.ts';
import type { PositionSeal } from './stream-position.domain.ts';

/** A reader of a Project's events on this replica. */
export interface HubReader {
  /** There are events after the reader's position. */
  sendPending(): void;
  /** The log has another epoch: positions of the old one are invalid. */
  logChanged(): void;
}

export type ProjectHub = ReturnType<typeof createProjectHub>;

export interface HubDeps {
  readonly log: EventStreamClient;
  readonly sealPosition: PositionSeal;
  readonly limits: RingLimits;
  /** Calls back once at the end of this tick of the event loop. */
  readonly flushSoon: (flush: () => void) => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

const fillBatch = 500;

export interface HubStart {
  readonly logEpoch: number;
  readonly head: number;
}

/**
 * A Project's latest events on this replica, as frames, and its readers. A message that continues
 * the ring is appended; any other one makes the hub read the log, so lost, duplicate and reordered
 * messages are harmless.
 */
export function createProjectHub(
  { log, sealPosition, limits, flushSoon, logger, clock }: HubDeps,
  projectId: ProjectId,
  start: HubStart,
) {
  let { logEpoch } = start;
  let ring = createProjectRing(start.head, limits);
  let target = start.head;
  let filling = false;
  const readers = new Set<HubReader>();
  const delays = createDelays(clock);

  /** Notifies the readers once, however many events arrived since the last time. */
  function flush(): void {
    for (const reader of readers) reader.sendPending();
    delays.delivered(readers.size);
  }

  function take({
    position,
    event,
    appendedAtMs,
  }: Pick<AppendedEvent, 'position' | 'event' | 'appendedAtMs'>) {
    return ring.append(position, () => {
      delays.took(appendedAtMs);
      const at = { logEpoch, position, asOfMs: event.occurredAtMs };
      return chunkOf(eventFrame(sealPosition(projectId, at), event));
    });
  }

  /** Another epoch: the ring is discarded, and the readers cannot continue. */
  function restart(epoch: number, position: number): void {
    logEpoch = epoch;
    ring = createProjectRing(position, limits);
    target = position;
    for (const reader of readers) reader.logChanged();
  }

  /** An earlier epoch is refused; a later one restarts the ring. */
  function isPresent(epoch: number, position: number): boolean {
    if (epoch <= logEpoch) return epoch === logEpoch;
    restart(epoch, position);
    return false;
  }

  function takeBatch(batch: LogBatch): void {
    // A replica of the event-stream that was not restarted since the epoch was raised.
    if (batch.logEpoch < logEpoch) throw new Error('the log was read at an earlier epoch');
    if (!isPresent(batch.logEpoch, batch.headPosition)) return;
    // Events pruned meanwhile are unavailable; the readers detect it themselves.
    if (batch.earliestPosition > ring.last + 1) {
      ring = createProjectRing(batch.earliestPosition - 1, limits);
    }
    for (const entry of batch.items) take(entry);
  }

  async function fill(): Promise<void> {
    if (filling) return;
    filling = true;
    try {
      while (ring.last < target) {
        const batch = await log.readLogBatch(projectId, ring.last, fillBatch);
        const before = ring.last;
        takeBatch(batch);
        flushSoon(flush);
        if (ring.last === before) break;
      }
    } catch (error) {
      // The next comparison of heads, or the next event, retries.
      logger.warn({ err: error, projectId }, 'events not read from the log');
    } finally {
      filling = false;
    }
  }

  return {
    projectId,
    get logEpoch(): number {
      return logEpoch;
    },
    get ring(): ProjectRing {
      return ring;
    },
    get readers(): number {
      return readers.size;
    },
    appendEvent({ logEpoch: epoch, ...appended }: AppendedEvent): void {
      const { position } = appended;
      if (!isPresent(epoch, position)) return;
      target = Math.max(target, position);
      const result = take(appended);
      if (result === 'appended') flushSoon(flush);
      if (result === 'gap') void fill();
    },
    /** Head position of the log, as read from the event-stream. */
    updateHead(epoch: number, position: number): void {
      if (!isPresent(epoch, position)) return;
      target = Math.max(target, position);
      void fill();
    },
    /** Reads again what an earlier read of the log failed to read. */
    catchUp: () => void fill(),
    attach: (reader: HubReader) => void readers.add(reader),
    detach: (reader: HubReader) => void readers.delete(reader),
  };
}

/** Delay of each event since it was appended to the log. */
function createDelays(clock: Clock) {
  let appendedMs: (number | null)[] = [];
  return {
    took: (timeMs: number | null) => void appendedMs.push(timeMs),
    delivered(streams: number): void {
      const taken = appendedMs;
      appendedMs = [];
      if (streams === 0) return;
      const nowMs = clock.now();
      eventsDelivered(
        taken.map((timeMs) => (timeMs === null ? null : nowMs - timeMs)),
        streams,
      );
    },
  };
}
