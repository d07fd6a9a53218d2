import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { verificationsCollection } from '../collections.ts';

const problem = z.object({ accountId: z.string(), seq: z.int().nullable(), problem: z.string() });
export type JournalProblem = Readonly<z.infer<typeof problem>>;

const lastDocument = z.object({
  startedAt: z.date(),
  finishedAt: z.date(),
  accounts: z.int().min(0),
  entries: z.int().min(0),
  problems: z.array(problem),
});

/** A finished verification, whichever process ran it. Times are milliseconds since the epoch. */
export interface VerificationRecord {
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly accounts: number;
  readonly entries: number;
  readonly problems: readonly JournalProblem[];
}

export type VerificationStore = ReturnType<typeof createVerificationStore>;

export function createVerificationStore(db: Db) {
  const collection = db.collection<{ readonly _id: 'last' }>(verificationsCollection);
  const byId = { _id: 'last' } as const;
  return {
    async findLast(): Promise<VerificationRecord | null> {
      const found = await collection.findOne(byId);
      if (found === null) return null;
      const { startedAt, finishedAt, ...record } = lastDocument.parse(found);
      return { ...record, startedAtMs: startedAt.getTime(), finishedAtMs: finishedAt.getTime() };
    },
    /** Replaces the last one. */
    async saveLast({ startedAtMs, finishedAtMs, ...record }: VerificationRecord) {
      const times = { startedAt: dateOf(startedAtMs), finishedAt: dateOf(finishedAtMs) };
      await collection.replaceOne(byId, { ...record, ...times }, { upsert: true });
    },
  };
}
