import type { ProjectId } from '@inventory/contracts/ids';

/** A position between two events of a Project's log: after everything that was applied. */
export interface StreamPosition {
  readonly logEpoch: number;
  /** Position of the last event before it; 0 before the first. */
  readonly position: number;
  /** Milliseconds since the epoch: events until then are before the position. */
  readonly asOfMs: number;
}

/** The cursor of a position. */
export type PositionSeal = (projectId: ProjectId, at: StreamPosition) => string;

/** The range of a log when a reader connects or falls behind. */
export interface LogExtent {
  readonly logEpoch: number;
  readonly headPosition: number;
  /** The oldest retained position; head + 1 while there is none. */
  readonly earliestPosition: number;
}

export type RecoveryReason = 'cursor_too_old' | 'log_epoch_changed';

/**
 * The reason why a reader cannot continue from its position without a gap; null when it can. A
 * position past the head was issued for events that a restored log does not have.
 */
export function recoveryNeeded(
  at: Pick<StreamPosition, 'logEpoch' | 'position'>,
  log: LogExtent,
): RecoveryReason | null {
  if (at.logEpoch !== log.logEpoch || at.position > log.headPosition) {
    return 'log_epoch_changed';
  }
  return at.position < log.earliestPosition - 1 ? 'cursor_too_old' : null;
}
