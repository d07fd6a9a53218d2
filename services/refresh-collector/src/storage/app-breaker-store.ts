import type { Collection } from 'mongodb';
import type { AppBreaker } from '../domain/app-breaker.ts';
import type { AppBreakerDocument } from './collections.ts';

/** The breakers per application that any replica opened. */
export interface AppBreakerStore {
  /** Application ids and until when each is open; closed ones are left out. */
  open(nowMs: number): Promise<ReadonlyMap<number, number>>;
  save(appId: number, breaker: AppBreaker): Promise<void>;
}

export function createAppBreakerStore(collection: Collection<AppBreakerDocument>): AppBreakerStore {
  return {
    async open(nowMs) {
      const found = await collection.find({ openUntilMs: { $gt: nowMs } }).toArray();
      return new Map(found.map(({ _id, openUntilMs }) => [_id, openUntilMs]));
    },
    async save(appId, { inventories, openUntilMs, openings }) {
      await collection.updateOne(
        { _id: appId },
        // A replica that saw less never shortens what another one decided.
        { $set: { inventories, openings }, $max: { openUntilMs } },
        { upsert: true },
      );
    },
  };
}
