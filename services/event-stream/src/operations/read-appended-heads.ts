import type { ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { ProjectLog } from '../storage/project-log.ts';

export interface ReadAppendedHeadsDeps {
  readonly log: Pick<ProjectLog, 'listAppendedSince'>;
  readonly clock: Clock;
}

export interface AppendedHeadsRead {
  readonly heads: readonly (readonly [ProjectId, number])[];
  /** Where the next read starts. */
  readonly nextSinceMs: number;
  readonly hasMore: boolean;
}

/** Longer than clocks of replicas differ and an insert takes after its time was read. */
const overlapMs = 30_000;

/** The last positions appended since a time, per Project: the cost follows entries, not Projects. */
export async function readAppendedHeads(
  { log, clock }: ReadAppendedHeadsDeps,
  sinceMs: number | null,
  entriesMax: number,
): Promise<AppendedHeadsRead> {
  const nextSinceMs = clock.now() - overlapMs;
  if (sinceMs === null) return { heads: [], nextSinceMs, hasMore: false };
  const entries = await log.listAppendedSince(sinceMs, entriesMax);
  const heads = new Map<ProjectId, number>();
  for (const { projectId, position } of entries) {
    heads.set(projectId, Math.max(position, heads.get(projectId) ?? 0));
  }
  const last = entries.at(-1);
  const hasMore = last !== undefined && entries.length === entriesMax;
  // A full page of one millisecond is not read twice.
  const continuedMs = hasMore ? Math.max(last.appendedAtMs, sinceMs + 1) : nextSinceMs;
  return { heads: [...heads], nextSinceMs: Math.max(sinceMs, continuedMs), hasMore };
}
