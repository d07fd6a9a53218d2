import { whereExists } from '@inventory/mongo/indexes';
import { dateOf } from '@inventory/runtime/clock';
import { z } from 'zod';

/**
 * What is pending in a document. It is a field of the document that it is about, so that one write
 * changes both; it is absent once nothing is pending.
 */
export const workField = z.object({
  /** No replica works on it before. */
  dueAt: z.date(),
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

/** A document that may have pending work. */
export interface WithWork {
  readonly _id: string;
  readonly work?: WorkField;
}

/** Unclaimed work. */
export function newWork(dueAtMs: number, queue?: string): WorkField {
  const work = { dueAt: dateOf(dueAtMs), tries: 0, owner: null };
  return queue === undefined ? work : { ...work, queue };
}

/** Only documents with pending work are in it. */
export const workIndex = {
  name: 'work',
  keys: { 'work.queue': 1, 'work.dueAt': 1 },
  options: whereExists('work.dueAt'),
} as const;
