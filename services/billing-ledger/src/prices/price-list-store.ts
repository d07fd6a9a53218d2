import { type PriceList, priceList } from '@inventory/contracts/messages/price-list';
import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import { parseDocument } from '@inventory/mongo/parse-document';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { priceListsCollection } from '../collections.ts';

/** Its version is its key. */
const priceListDocument = priceList.out.extend({ _id: z.int().min(1) });
type PriceListDocument = z.output<typeof priceListDocument>;
const documents = { collection: priceListsCollection, schema: priceListDocument };

export type PriceListStore = ReturnType<typeof createPriceListStore>;

export function createPriceListStore(db: Db) {
  const collection = db.collection<PriceListDocument>(priceListsCollection);
  return {
    /** By version. Fails where one is corrupt: without it commands would be priced by another list. */
    async listPriceLists(): Promise<PriceList[]> {
      const found = await collection.find().sort({ _id: 1 }).toArray();
      return found.map((stored) => {
        const { _id, ...list } = parseDocument(documents, stored);
        return list;
      });
    },
    /** False where the version is there already: it stays as it is. */
    async insertPriceList(list: PriceList): Promise<boolean> {
      try {
        await collection.insertOne({ _id: list.version, ...list });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },
  };
}
