import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import type { PriceList } from '../domain/price-list.ts';
import { priceListsCollection } from './collections.ts';

interface PriceListDocument extends Omit<PriceList, 'version' | 'effectiveAt'> {
  readonly _id: number;
  readonly effectiveAt: Date;
}

export interface PriceListStore {
  listPriceLists(): Promise<readonly PriceList[]>;
  /** A version that is there already stays as it is. */
  insertPriceList(list: PriceList): Promise<void>;
}

export function createPriceListStore(db: Db): PriceListStore {
  const collection = db.collection<PriceListDocument>(priceListsCollection);
  return {
    async listPriceLists() {
      const found = await collection.find().sort({ _id: 1 }).toArray();
      return found.map(fromDocument);
    },
    async insertPriceList(list) {
      try {
        await collection.insertOne(toDocument(list));
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
      }
    },
  };
}

function toDocument({ version, effectiveAt, ...prices }: PriceList): PriceListDocument {
  return { _id: version, effectiveAt: dateOf(effectiveAt), ...prices };
}

function fromDocument({ _id, effectiveAt, ...prices }: PriceListDocument): PriceList {
  return { version: _id, effectiveAt: effectiveAt.getTime(), ...prices };
}
