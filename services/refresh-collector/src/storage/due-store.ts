import type { Clock } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { RefreshDocument } from './collections.ts';
import { type StoredRefresh, toStored } from './stored-refresh.ts';

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
  refreshes: Collection<RefreshDocument>,
  clock: Clock,
  times: AskTimes,
): DueStore {
  const withoutPages = { projection: { pages: 0, outbox: 0 } } as const;

  return {
    async takeDueAsks(limit) {
      const now = clock.now();
      const due = await refreshes
        .find({ askAt: { $lte: new Date(now) } } as object, withoutPages)
        .sort({ askAt: 1 })
        .limit(limit)
        .toArray();
      const taken: StoredRefresh[] = [];
      for (const document of due) {
        const delayMs = Math.min(
          times.askMaxMs,
          times.askFirstMs * 2 ** Math.min(document.asks, 10),
        );
        const { modifiedCount } = await refreshes.updateOne(
          { _id: document._id, askAt: document.askAt } as object,
          { $set: { askAt: new Date(now + delayMs) }, $inc: { asks: 1 } } as object,
        );
        if (modifiedCount === 1) taken.push(toStored(document));
      }
      return taken;
    },
  };
}
