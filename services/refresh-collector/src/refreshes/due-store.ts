import type { TypedCollection } from '@inventory/mongo/typed-collection';
import type { Clock } from '@inventory/runtime/clock';
import type { RefreshDocument } from '../collections.ts';
import { type StoredRefresh, toStored } from './refresh-mapping.ts';

/** Finds the refreshes that time says something about. */
export interface DueStore {
  /** Those whose pending command is due again; each is handed to one replica only. */
  takeDueAsks(limit: number): Promise<StoredRefresh[]>;
}

export interface AskTimes {
  readonly askFirstMs: number;
  readonly askMaxMs: number;
}

export function createDueStore(
  refreshes: TypedCollection<RefreshDocument>,
  clock: Clock,
  times: AskTimes,
): DueStore {
  const withoutPages = { projection: { pages: 0, outbox: 0 } } as const;

  return {
    async takeDueAsks(limit) {
      const now = clock.now();
      const due = await refreshes
        .find({ askAt: { $lte: new Date(now) } }, withoutPages)
        .sort({ askAt: 1 })
        .limit(limit)
        .toArray();
      const taken: StoredRefresh[] = [];
      for (const document of due) {
        const { _id, askAt, asks } = document;
        if (!askAt) continue;
        const delayMs = Math.min(times.askMaxMs, times.askFirstMs * 2 ** Math.min(asks, 10));
        const { modifiedCount } = await refreshes.updateOne(
          { _id, askAt },
          { $set: { askAt: new Date(now + delayMs) }, $inc: { asks: 1 } },
        );
        if (modifiedCount === 1) taken.push(toStored(document));
      }
      return taken;
    },
  };
}
