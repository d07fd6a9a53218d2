import { type AccountId, accountId } from '@inventory/contracts/ids';
import { type QuarantinedAccount, quarantinedAccount } from '@inventory/contracts/internal/ledger';
import { upsert } from '@inventory/mongo/duplicate-key';
import { type DocumentSchema, parseDocument, readFirst } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import type { Db, FindOptions } from 'mongodb';
import type { z } from 'zod';
import { quarantineCollection } from '../collections.ts';

const quarantineDocument = quarantinedAccount.out.extend({ _id: accountId });
type QuarantineDocument = z.output<typeof quarantineDocument>;
const documents = {
  whole: { collection: quarantineCollection, schema: quarantineDocument },
  id: { collection: quarantineCollection, schema: quarantineDocument.pick({ _id: true }) },
};

export type QuarantineStore = ReturnType<typeof createQuarantineStore>;

export function createQuarantineStore(db: Db, logger: Logger) {
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
    async insertQuarantined(account: QuarantinedAccount) {
      const filter = { _id: account.accountId };
      await upsert(() => collection.updateOne(filter, { $setOnInsert: account }, { upsert: true }));
    },
    /** False when there was none. */
    async deleteQuarantined(account: AccountId): Promise<boolean> {
      return (await collection.deleteOne({ _id: account })).deletedCount === 1;
    },
    listQuarantined: (limit: number): Promise<readonly QuarantinedAccount[]> =>
      list(documents.whole, limit),
    /** Also those whose other fields are corrupt: they stay in quarantine. */
    async listIds(limit: number): Promise<AccountId[]> {
      const listed = await list(documents.id, limit, { projection: { _id: 1 } });
      return listed.map(({ _id }) => _id);
    },
  };
}
