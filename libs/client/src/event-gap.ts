/** Expired events between two cursors: they cannot be recovered. */
export interface EventGap {
  /** `cursor_too_old` or `log_epoch_changed`. */
  readonly reason: string;
  /** The cursor that cannot be continued. */
  readonly lastCursor: string | null;
  /** Time of the oldest stored event, ISO 8601 UTC; null when there is none. */
  readonly earliestAsOf: string | null;
  /** The start of the stored events. */
  readonly resumeCursor: string;
}
