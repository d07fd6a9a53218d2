import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { type Collection, MongoBulkWriteError } from 'mongodb';
import type { DeliveryDocument } from '../webhooks/webhook-document.ts';

/** Inserts those that do not exist; returns how many. */
export async function insertMissing(
  deliveries: Collection<DeliveryDocument>,
  documents: readonly DeliveryDocument[],
): Promise<number> {
  if (documents.length === 0) return 0;
  try {
    return (await deliveries.insertMany(documents, { ordered: false })).insertedCount;
  } catch (error) {
    // Another replica, or an interrupted run, inserted some of them.
    if (!duplicateKeyOf(error) || !(error instanceof MongoBulkWriteError)) throw error;
    return error.insertedCount;
  }
}
