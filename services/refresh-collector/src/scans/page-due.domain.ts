/**
 * When a page of a scan is due: by the deadline of the scan, or at once where it reports an unknown
 * size, because until then more pages are reserved than the scan needs. The plan reserves one page
 * that is read at once, so a retry is due by the deadline.
 */
export function pageDueMs(
  scan: {
    readonly startedAtMs: number;
    readonly deadlineMs: number;
    readonly isSizeKnown: boolean;
  },
  triesBefore: number,
): number {
  return scan.isSizeKnown || triesBefore > 0 ? scan.deadlineMs : scan.startedAtMs;
}
