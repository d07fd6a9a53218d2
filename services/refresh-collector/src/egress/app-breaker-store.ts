import type { AccountId } from '@inventory/contracts/ids';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import { type AppBreakerDocument, documents, type RefreshDocument } from '../collections.ts';
import type { AppOpening } from './app-breaker.domain.ts';

/** The breakers that are not closed, one per application, shared by all replicas. */
export interface AppBreakerStore {
  /** By application id. */
  readOpenings(): Promise<Map<number, AppOpening>>;
  saveOpening(appId: number, opening: AppOpening): Promise<void>;
  /** Deletes this opening, not one that another replica stored since. */
  deleteOpening(appId: number, opening: AppOpening): Promise<void>;
  /** Claims the next probe; false when another replica has claimed it. */
  claimProbe(appId: number, opening: AppOpening, nextProbeMs: number): Promise<boolean>;
  /** Whether no other account has a stored refresh. */
  isOnlyAccount(accountId: AccountId): Promise<boolean>;
}

export function createAppBreakerStore(
  breakers: Collection<AppBreakerDocument>,
  refreshes: Collection<RefreshDocument>,
  logger: Pick<Logger, 'error'>,
): AppBreakerStore {
  return {
    async readOpenings() {
      const found = await breakers.find().toArray();
      const read = readEach(found, parseBreaker, logger);
      return new Map(read.map(({ _id, ...opening }) => [_id, opening]));
    },
    async saveOpening(appId, opening) {
      await breakers.updateOne({ _id: appId }, { $set: opening }, { upsert: true });
    },
    async deleteOpening(appId, { openedAtMs }) {
      await breakers.deleteOne({ _id: appId, openedAtMs });
    },
    async claimProbe(appId, { openedAtMs, probeAtMs }, nextProbeMs) {
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

const parseBreaker = (stored: AppBreakerDocument) => parseDocument(documents.appBreaker, stored);
