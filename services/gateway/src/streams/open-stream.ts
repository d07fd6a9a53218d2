import type { ProjectId } from '@inventory/contracts/ids';
import type { LogBatch } from '@inventory/contracts/internal/event-log';
import { isoTime } from '@inventory/runtime/clock';
import { recoveryFrame } from './event-frame.domain.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import type { ProjectHub } from './project-hub.ts';
import type { ProjectHubs } from './project-hubs.ts';
import {
  type LogExtent,
  type PositionSeal,
  type RecoveryReason,
  recoveryNeeded,
  type StreamPosition,
} from './stream-position.domain.ts';

export interface StreamStart {
  readonly hub: ProjectHub;
  /** Position of the checkpoint: the connection continues after it. */
  readonly after: StreamPosition;
  /** The control frame that ends the stream where the position cannot be continued. */
  readonly recovery: string | null;
}

interface OpenStreamParts {
  readonly hubs: ProjectHubs;
  readonly log: EventStreamClient;
  readonly sealPosition: PositionSeal;
  readonly nowMs: number;
}

/**
 * Start of a connection: its cursor, never the head instead, which would skip events; without a
 * cursor the current head. Rejects when the event-stream is unavailable.
 */
export async function openStream(
  { hubs, log, sealPosition, nowMs }: OpenStreamParts,
  projectId: ProjectId,
  cursor: StreamPosition | null,
): Promise<StreamStart> {
  const hub = await hubs.openHub(projectId);
  if (cursor === null) {
    const after = { logEpoch: hub.logEpoch, position: hub.ring.last, asOfMs: nowMs };
    return { hub, after, recovery: null };
  }
  if (cursor.logEpoch === hub.logEpoch && cursor.position <= hub.ring.last) {
    return { hub, after: cursor, recovery: null };
  }
  // The position is ahead of this replica, or of another epoch: the log decides.
  const batch = await log.readLogBatch(projectId, cursor.position, 1);
  const reason = recoveryNeeded(cursor, extentOf(batch));
  if (reason === null) {
    hub.updateHead(batch.logEpoch, batch.headPosition);
    return { hub, after: cursor, recovery: null };
  }
  const seal = (at: StreamPosition) => sealPosition(projectId, at);
  return { hub, after: cursor, recovery: recoveryOf(reason, batch, seal) };
}

export function extentOf(batch: LogBatch): LogExtent {
  return {
    logEpoch: batch.logEpoch,
    headPosition: batch.headPosition,
    earliestPosition: batch.earliestPosition,
  };
}

/** The position before the oldest retained event. */
export function keptFrom(batch: LogBatch): StreamPosition {
  return {
    logEpoch: batch.logEpoch,
    position: batch.earliestPosition - 1,
    asOfMs: batch.earliestAtMs ?? 0,
  };
}

/** ISO 8601; null while nothing is kept. */
export const earliestTime = ({ earliestAtMs }: LogBatch): string | null =>
  earliestAtMs === null ? null : isoTime(earliestAtMs);

/** The control frame with the start of the retained log. */
export function recoveryOf(
  reason: RecoveryReason,
  batch: LogBatch,
  sealPosition: (at: StreamPosition) => string,
): string {
  return recoveryFrame({
    reason,
    earliest_as_of: earliestTime(batch),
    resume_cursor: sealPosition(keptFrom(batch)),
  });
}
