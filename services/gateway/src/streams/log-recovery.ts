import type { LogBatch } from '@inventory/contracts/internal/event-log';
import { isoTime } from '@inventory/runtime/clock';
import { recoveryFrame } from './event-frame.domain.ts';
import type { LogExtent, RecoveryReason, StreamPosition } from './stream-position.domain.ts';

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
