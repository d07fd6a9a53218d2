import { type AccountId, accountId } from '@inventory/contracts/ids';
import { upsert } from '@inventory/mongo/duplicate-key';
import { type DocumentSchema, parseDocument, readFirst } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Db, FindOptions } from 'mongodb';
import { z } from 'zod';
import { quarantineCollection } from '../collections.ts';

const quarantineDocument = z.object({ _id: accountId, at: z.date(), detail: z.string() });
type QuarantineDocument = z.infer<typeof quarantineDocument>;
const documents = {
  whole: { collection: quarantineCollection, schema: quarantineDocument },
  id: { collection: quarantineCollection, schema: quarantineDocument.pick({ _id: true }) },
};

/** An account of which no command is evaluated, because its journal does not add up. */
export interface QuarantinedAccount {
  readonly accountId: AccountId;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly detail: string;
}

export type QuarantineStore = ReturnType<typeof createQuarantineStore>;

export function createQuarantineStore(db: Db, logger: Pick<Logger, 'error'>) {
  const collection = db.collection<QuarantineDocument>(quarantineCollection);

  /** By account, at most `limit`. */
  function list<Document>(
    schema: DocumentSchema<Document>,
    limit: number,
    options?: FindOptions,
  ): Promise<Document[]> {
    const found = collection.find({}, options).sort({ _id: 1 });
    return readFirst(found, limit, (stored) => [parseDocument(schema, stored)], logger);
  }

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
    async listQuarantined(limit: number): Promise<QuarantinedAccount[]> {
      const listed = await list(documents.whole, limit);
      return listed.map(({ _id, at, detail }) => ({
        accountId: _id,
        sinceMs: at.getTime(),
        detail,
      }));
    },
    /** Also those whose other fields are corrupt: they stay in quarantine. */
    async listIds(limit: number): Promise<AccountId[]> {
      const listed = await list(documents.id, limit, { projection: { _id: 1 } });
      return listed.map(({ _id }) => _id);
    },
  };
}
