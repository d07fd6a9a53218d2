import type { AccountId } from '@inventory/contracts/ids';
import type { Collection } from 'mongodb';
import type { AppBreakerDocument, RefreshDocument } from '../collections.ts';
import type { AppOpening } from './app-breaker.domain.ts';

/** The breakers per application that are not closed, whichever replica opened them. */
export interface AppBreakerStore {
  /** By application id. */
  openings(): Promise<Map<number, AppOpening>>;
  open(appId: number, opening: AppOpening): Promise<void>;
  /** Only as it was opened: not what another replica opened since. */
  close(appId: number, opening: AppOpening): Promise<void>;
  /** Reserves the request that is let through; false when another replica has it. */
  takeProbe(appId: number, opening: AppOpening, nextProbeMs: number): Promise<boolean>;
  /** Whether no other account has a refresh that is kept. */
  isOnlyAccount(accountId: AccountId): Promise<boolean>;
}

export function createAppBreakerStore(
  breakers: Collection<AppBreakerDocument>,
  refreshes: Collection<RefreshDocument>,
): AppBreakerStore {
  return {
    async openings() {
      const found = await breakers.find().toArray();
      return new Map(found.map(({ _id, ...opening }) => [_id, opening]));
    },
    async open(appId, opening) {
      await breakers.updateOne({ _id: appId }, { $set: opening }, { upsert: true });
    },
    async close(appId, { openedAtMs }) {
      await breakers.deleteOne({ _id: appId, openedAtMs });
    },
    async takeProbe(appId, { openedAtMs, probeAtMs }, nextProbeMs) {
      const { modifiedCount } = await breakers.updateOne(
        { _id: appId, openedAtMs, probeAtMs },
        { $set: { probeAtMs: nextProbeMs } },
      );
      return modifiedCount === 1;
    },
    async isOnlyAccount(accountId) {
      // Every value of `terminal`, for its index.
      const other = { terminal: { $in: [true, false] }, accountId: { $ne: accountId } };
      return (await refreshes.findOne(other, { projection: { _id: 1 } })) === null;
    },
  };
}
