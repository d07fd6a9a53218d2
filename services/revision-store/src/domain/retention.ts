import type { Observation } from './observation.ts';

export interface Retention {
  /** How long a superseded observation stays readable, so that page chains can end. */
  readonly supersededKeptMs: number;
  /** How long the head stays after it was last observed. */
  readonly headKeptMs: number;
  /** How much longer change sets stay than the revisions they join. */
  readonly changesKeptMs: number;
  /** How long an inventory without a head is remembered as erased. */
  readonly erasedKeptMs: number;
}

export function isSupersededReadable(
  supersededAtMs: number,
  nowMs: number,
  retention: Retention,
): boolean {
  return nowMs < supersededAtMs + retention.supersededKeptMs;
}

/** Whether changes may be requested that begin with a set; null while it leads to the head. */
export function isChangeSetReadable(
  supersededAtMs: number | null,
  nowMs: number,
  { supersededKeptMs, changesKeptMs }: Retention,
): boolean {
  return supersededAtMs === null || nowMs < supersededAtMs + supersededKeptMs + changesKeptMs;
}

/** How long a change set is kept: chains of pages that began while it was readable come to their end. */
export function changeSetKeptMs({ supersededKeptMs, changesKeptMs }: Retention): number {
  return 2 * supersededKeptMs + changesKeptMs;
}

export function isHeadExpired(head: Observation, nowMs: number, retention: Retention): boolean {
  return nowMs >= head.scanWindow.completedAtMs + retention.headKeptMs;
}

/** When something of an inventory next has to go; null when nothing of it is left to remember. */
export function nextPruneAtMs(
  left: {
    readonly head: Observation | null;
    readonly oldestSupersededAtMs: number | null;
    readonly oldestChangesAtMs: number | null;
    readonly erasedAtMs: number | null;
  },
  nowMs: number,
  retention: Retention,
): number | null {
  const due = [
    left.head && left.head.scanWindow.completedAtMs + retention.headKeptMs,
    left.oldestSupersededAtMs !== null && left.oldestSupersededAtMs + retention.supersededKeptMs,
    left.oldestChangesAtMs !== null && left.oldestChangesAtMs + changeSetKeptMs(retention),
    left.erasedAtMs !== null && left.erasedAtMs + retention.erasedKeptMs,
  ].filter((timeMs) => typeof timeMs === 'number');
  const upcoming = due.filter((timeMs) => timeMs > nowMs);
  return upcoming.length === 0 ? null : Math.min(...upcoming);
}
