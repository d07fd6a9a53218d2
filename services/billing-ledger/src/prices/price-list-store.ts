import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import { type DocumentSchema, parseDocument } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { priceListsCollection } from '../collections.ts';
import type { PriceList } from './price-list.domain.ts';

const price = z.int().min(0);
const priceListDocument = z.object({
  _id: z.int().min(1),
  effectiveAt: z.date(),
  refreshReservation: price,
  refreshBlock: price,
  refreshBlockAssets: z.int().min(1),
  refreshDiagnostic: price,
  /** Absent in lists that were published before there were watches. */
  watchChangedBlock: price.exactOptional(),
  watchUnchangedBlock: price.exactOptional(),
  livePage: price,
  currentPage: price,
});
type PriceListDocument = z.infer<typeof priceListDocument>;

const documents: DocumentSchema<PriceListDocument> = {
  collection: priceListsCollection,
  schema: priceListDocument,
};

export type PriceListStore = ReturnType<typeof createPriceListStore>;

export function createPriceListStore(db: Db) {
  const collection = db.collection<PriceListDocument>(priceListsCollection);
  return {
    /** By version. Fails where one is corrupt: without it commands would be priced by another list. */
    async listPriceLists(): Promise<PriceList[]> {
      const found = await collection.find().sort({ _id: 1 }).toArray();
      return found.map(fromDocument);
    },
    /** False where the version is there already: it stays as it is. */
    async insertPriceList({ version, effectiveAtMs, ...prices }: PriceList): Promise<boolean> {
      try {
        await collection.insertOne({ _id: version, effectiveAt: dateOf(effectiveAtMs), ...prices });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },
  };
}

function fromDocument(document: PriceListDocument): PriceList {
  const { _id, effectiveAt, ...prices } = parseDocument(documents, document);
  const { refreshBlock: watchChangedBlock, refreshBlock: watchUnchangedBlock } = prices;
  const ofWatches = { watchChangedBlock, watchUnchangedBlock };
  return { version: _id, effectiveAtMs: effectiveAt.getTime(), ...ofWatches, ...prices };
}
