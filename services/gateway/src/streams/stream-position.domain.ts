/** A place between two events of a Project's log: behind everything that was applied. */
export interface StreamPosition {
  readonly logEpoch: number;
  /** Position of the last event before it; 0 before the first. */
  readonly position: number;
  /** Milliseconds since the epoch: what happened until then lies before the place. */
  readonly asOfMs: number;
}

/** What is known of a log when a reader comes or falls behind. */
export interface LogExtent {
  readonly logEpoch: number;
  readonly headPosition: number;
  /** The oldest event that is kept; head + 1 while there is none. */
  readonly earliestPosition: number;
}

export type RecoveryReason = 'cursor_too_old' | 'log_epoch_changed';

/**
 * Why a reader cannot go on from its place without missing something; null when it can. A place
 * beyond the head was issued for events that a restored log does not have.
 */
export function recoveryNeeded(
  place: Pick<StreamPosition, 'logEpoch' | 'position'>,
  log: LogExtent,
): RecoveryReason | null {
  if (place.logEpoch !== log.logEpoch || place.position > log.headPosition) {
    return 'log_epoch_changed';
  }
  return place.position < log.earliestPosition - 1 ? 'cursor_too_old' : null;
}
