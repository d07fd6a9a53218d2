import { whereExists } from '@inventory/mongo/indexes';
import { z } from 'zod';

/**
 * What is pending in a document. It is a field of the document that it is about, so that one write
 * changes both; it is absent once nothing is pending.
 */
export const workField = z.object({
  /** No replica works on it before. */
  dueAtMs: z.int(),
  /** Claims since it became pending. A claim names the number it read, so one replica succeeds. */
  tries: z.int(),
  /** The replica that claimed it last; for diagnosis only. */
  owner: z.string().nullable().default(null),
  /** It was made due while it was claimed: due again when the claim ends. */
  again: z.literal(true).exactOptional(),
  /** Kinds of one collection that do not wait for each other have queues of their own. */
  queue: z.string().exactOptional(),
});
export type WorkField = z.infer<typeof workField>;

export interface FirstClaim {
  readonly owner: string;
  /** No other replica works on it before. */
  readonly dueAtMs: number;
}

/** Unclaimed work. */
export function newWork(dueAtMs: number, queue?: string): WorkField {
  const work = { dueAtMs, tries: 0, owner: null };
  return queue === undefined ? work : { ...work, queue };
}

/** Work whose first claim is made with it. */
export function claimedWork({ dueAtMs, owner }: FirstClaim, queue?: string): WorkField {
  return { ...newWork(dueAtMs, queue), tries: 1, owner };
}

/** Only documents with pending work in this field are in it. */
export function workIndexOf(field: string) {
  return {
    name: field,
    keys: { [`${field}.queue`]: 1, [`${field}.dueAtMs`]: 1 },
    options: whereExists(`${field}.dueAtMs`),
  } as const;
}

export const workIndex = workIndexOf('work');

/** The filter of what is pending in these queues: by {@link workIndex}, which names the queue first. */
export function pendingIn(queues: readonly string[]) {
  return { 'work.queue': { $in: queues }, 'work.dueAtMs': { $exists: true } } as const;
}
