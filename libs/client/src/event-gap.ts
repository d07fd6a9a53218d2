/** Events that are no longer kept: nothing can bring back what lies between the two cursors. */
export interface EventGap {
  /** `cursor_too_old` or `log_epoch_changed`. */
  readonly reason: string;
  /** The place that cannot be gone on from. */
  readonly lastCursor: string | null;
  /** What happened since then is still there; null when nothing is. ISO 8601 UTC. */
  readonly earliestAsOf: string | null;
  /** Where what is kept begins. */
  readonly resumeCursor: string;
}
