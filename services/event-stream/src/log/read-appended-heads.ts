import type { ProjectId } from '@inventory/contracts/ids';
import type { LogHeads } from '@inventory/contracts/internal/event-log';
import type { Clock } from '@inventory/runtime/clock';
import type { ProjectLog } from './project-log-store.ts';

export interface AppendedHeadsRead {
  readonly heads: readonly LogHeads['heads'][number][];
  /** Where the next read starts. */
  readonly nextSinceMs: number;
  readonly hasMore: boolean;
}

/** Longer than clocks of replicas differ and an insert takes after its time was read. */
const overlapMs = 30_000;

/** The last positions appended since a time, per Project: the cost follows entries, not Projects. */
export async function readAppendedHeads(
  { log, clock }: { readonly log: ProjectLog; readonly clock: Clock },
  sinceMs: number | null,
  entriesMax: number,
): Promise<AppendedHeadsRead> {
  const nowMs = clock.now();
  const nextSinceMs = nowMs - overlapMs;
  if (sinceMs === null) return { heads: [], nextSinceMs, hasMore: false };
  const entries = await log.listAppendedSince(sinceMs, entriesMax);
  const last = new Map<ProjectId, number>();
  for (const { projectId, position } of entries) {
    last.set(projectId, Math.max(position, last.get(projectId) ?? 0));
  }
  const heads = [...last].map(([projectId, position]) => ({ projectId, position }));
  // After what is dated in the future there is nothing yet: the next read begins at its time again,
  // else it would skip what is appended until then.
  const newest = entries.at(-1);
  const isFull = newest !== undefined && entries.length === entriesMax;
  if (!isFull || newest.appendedAtMs > nowMs) {
    return { heads, nextSinceMs, hasMore: false };
  }
  // A full batch of one millisecond is not read twice.
  const continuedMs = Math.max(newest.appendedAtMs, sinceMs + 1);
  return { heads, nextSinceMs: continuedMs, hasMore: true };
}
