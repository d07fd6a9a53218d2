import { type AccountId, accountId } from '@inventory/contracts/ids';
import { upsert } from '@inventory/mongo/duplicate-key';
import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { quarantineCollection } from '../collections.ts';

const quarantineDocument = z.object({ _id: accountId, at: z.date(), detail: z.string() });
type QuarantineDocument = z.infer<typeof quarantineDocument>;

/** An account of which no command is evaluated, because its journal does not add up. */
export interface QuarantinedAccount {
  readonly accountId: AccountId;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly detail: string;
}

export type QuarantineStore = ReturnType<typeof createQuarantineStore>;

export function createQuarantineStore(db: Db) {
  const collection = db.collection<QuarantineDocument>(quarantineCollection);
  return {
    async isQuarantined(account: AccountId): Promise<boolean> {
      return (await collection.findOne({ _id: account }, { projection: { _id: 1 } })) !== null;
    },
    /** One that is there already stays as it is. */
    async insertQuarantined({ accountId: account, sinceMs, detail }: QuarantinedAccount) {
      const inserted = { at: dateOf(sinceMs), detail };
      const update = { $setOnInsert: inserted };
      await upsert(() => collection.updateOne({ _id: account }, update, { upsert: true }));
    },
    /** False when there was none. */
    async deleteQuarantined(account: AccountId): Promise<boolean> {
      return (await collection.deleteOne({ _id: account })).deletedCount === 1;
    },
    /** By account, at most `limit`. */
    async listQuarantined(limit: number): Promise<QuarantinedAccount[]> {
      const found = await collection.find().sort({ _id: 1 }).limit(limit).toArray();
      return found.map((document) => {
        const { _id, at, detail } = quarantineDocument.parse(document);
        return { accountId: _id, sinceMs: at.getTime(), detail };
      });
    },
  };
}
