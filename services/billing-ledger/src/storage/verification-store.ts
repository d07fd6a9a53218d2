import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { verificationsCollection } from './collections.ts';

export const verificationModes = ['full', 'continue'] as const;
/** `continue`: the accounts that changed, each from its checkpoint. */
export type VerificationMode = (typeof verificationModes)[number];

const counts = { accounts: z.int().min(0), entries: z.int().min(0) };
const mode = z.enum(verificationModes);

const recordDocument = z.object({
  _id: z.literal('last'),
  mode,
  startedAt: z.date(),
  finishedAt: z.date(),
  ...counts,
  problems: z.array(
    z.object({ accountId: z.string(), seq: z.int().nullable(), problem: z.string() }),
  ),
  problemAccounts: z.array(z.string()).nullable(),
});
const progressDocument = z.object({
  _id: z.literal('running'),
  mode,
  startedAt: z.date(),
  updatedAt: z.date(),
  ...counts,
});

/** A finished verification, whichever process ran it. */
export interface VerificationRecord {
  readonly mode: VerificationMode;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly accounts: number;
  readonly entries: number;
  readonly problems: readonly {
    readonly accountId: string;
    readonly seq: number | null;
    readonly problem: string;
  }[];
  /** Null where there are more than a record keeps. */
  readonly problemAccounts: readonly string[] | null;
}

export interface VerificationProgress {
  readonly mode: VerificationMode;
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

const problemAccountsMax = 10_000;

export function createVerificationStore(db: Db): VerificationStore {
  const collection = db.collection<{ readonly _id: 'last' | 'running' }>(verificationsCollection);
  return {
    async findLast() {
      const found = await collection.findOne({ _id: 'last' });
      if (found === null) return null;
      const { _id, startedAt, finishedAt, ...record } = recordDocument.parse(found);
      return {
        ...record,
        startedAtMs: startedAt.getTime(),
        finishedAtMs: finishedAt.getTime(),
      };
    },
    async saveLast({ startedAtMs, finishedAtMs, ...record }) {
      const { problemAccounts } = record;
      const isTooMany = (problemAccounts?.length ?? 0) > problemAccountsMax;
      const document = {
        ...record,
        startedAt: dateOf(startedAtMs),
        finishedAt: dateOf(finishedAtMs),
        problemAccounts: isTooMany ? null : problemAccounts,
      };
      await collection.replaceOne({ _id: 'last' }, document, { upsert: true });
      await collection.deleteOne({ _id: 'running' });
    },
    async findProgress() {
      const found = await collection.findOne({ _id: 'running' });
      if (found === null) return null;
      const { _id, startedAt, updatedAt, ...progress } = progressDocument.parse(found);
      return {
        ...progress,
        startedAtMs: startedAt.getTime(),
        updatedAtMs: updatedAt.getTime(),
      };
    },
    async saveProgress({ startedAtMs, updatedAtMs, ...progress }) {
      const document = {
        ...progress,
        startedAt: dateOf(startedAtMs),
        updatedAt: dateOf(updatedAtMs),
      };
      await collection.replaceOne({ _id: 'running' }, document, { upsert: true });
    },
  };
}
