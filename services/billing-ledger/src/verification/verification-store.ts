import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { verificationsCollection } from '../collections.ts';

const problem = z.object({ accountId: z.string(), seq: z.int().nullable(), problem: z.string() });
export type JournalProblem = Readonly<z.infer<typeof problem>>;

const counts = { startedAt: z.date(), accounts: z.int().min(0), entries: z.int().min(0) };
const lastDocument = z.object({ ...counts, finishedAt: z.date(), problems: z.array(problem) });
const runningDocument = z.object({ ...counts, updatedAt: z.date() });

/** A finished verification, whichever process ran it. Times are milliseconds since the epoch. */
export interface VerificationRecord {
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly accounts: number;
  readonly entries: number;
  readonly problems: readonly JournalProblem[];
}

export interface VerificationProgress {
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly accounts: number;
  readonly entries: number;
}

export interface VerificationStore {
  findLast(): Promise<VerificationRecord | null>;
  /** Replaces the last one, and ends the progress. */
  saveLast(record: VerificationRecord): Promise<void>;
  findProgress(): Promise<VerificationProgress | null>;
  saveProgress(progress: VerificationProgress): Promise<void>;
}

export function createVerificationStore(db: Db): VerificationStore {
  const collection = db.collection<{ readonly _id: 'last' | 'running' }>(verificationsCollection);
  const save = (_id: 'last' | 'running', document: object) =>
    collection.replaceOne({ _id }, document, { upsert: true });
  return {
    async findLast() {
      const found = await collection.findOne({ _id: 'last' });
      if (found === null) return null;
      const { startedAt, finishedAt, ...record } = lastDocument.parse(found);
      return { ...record, startedAtMs: startedAt.getTime(), finishedAtMs: finishedAt.getTime() };
    },
    async saveLast({ startedAtMs, finishedAtMs, ...record }) {
      const times = { startedAt: dateOf(startedAtMs), finishedAt: dateOf(finishedAtMs) };
      await save('last', { ...record, ...times });
      await collection.deleteOne({ _id: 'running' });
    },
    async findProgress() {
      const found = await collection.findOne({ _id: 'running' });
      if (found === null) return null;
      const { startedAt, updatedAt, ...progress } = runningDocument.parse(found);
      return { ...progress, startedAtMs: startedAt.getTime(), updatedAtMs: updatedAt.getTime() };
    },
    async saveProgress({ startedAtMs, updatedAtMs, ...progress }) {
      const times = { startedAt: dateOf(startedAtMs), updatedAt: dateOf(updatedAtMs) };
      await save('running', { ...progress, ...times });
    },
  };
}
