import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { verificationsCollection } from '../collections.ts';

const problem = z.object({ accountId: z.string(), seq: z.int().nullable(), problem: z.string() });
export type JournalProblem = Readonly<z.infer<typeof problem>>;

const lastDocument = z.object({
  _id: z.literal('last'),
  startedAt: z.date(),
  finishedAt: z.date(),
  accounts: z.int().min(0),
  entries: z.int().min(0),
  problems: z.array(problem).readonly(),
});
type LastDocument = z.infer<typeof lastDocument>;
const document = { collection: verificationsCollection, schema: lastDocument };

/** A finished verification, whichever process ran it. Times are milliseconds since the epoch. */
export interface VerificationRecord {
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly accounts: number;
  readonly entries: number;
  readonly problems: readonly JournalProblem[];
}

export type VerificationStore = ReturnType<typeof createVerificationStore>;

export function createVerificationStore(db: Db, logger: Pick<Logger, 'error'>) {
  const collection = db.collection<LastDocument>(verificationsCollection);
  const byId = { _id: 'last' } as const;
  return {
    /** Null where there is none, and for a corrupt one, which the next replaces. */
    async findLast(): Promise<VerificationRecord | null> {
      const found = await collection.find(byId).toArray();
      const [last] = readEach(found, (stored) => parseDocument(document, stored), logger);
      if (last === undefined) return null;
      const { _id, startedAt, finishedAt, ...record } = last;
      return { ...record, startedAtMs: startedAt.getTime(), finishedAtMs: finishedAt.getTime() };
    },
    /** Replaces the last one. */
    async saveLast({ startedAtMs, finishedAtMs, ...record }: VerificationRecord) {
      const times = { startedAt: dateOf(startedAtMs), finishedAt: dateOf(finishedAtMs) };
      await collection.replaceOne(byId, { ...record, ...times }, { upsert: true });
    },
  };
}
