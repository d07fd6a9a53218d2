import type { AccountId } from '@inventory/contracts/ids';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import { z } from 'zod';
import type { AppOpening } from './app-breaker.domain.ts';

const appBreaker = z.object({
  _id: z.int(),
  openedAtMs: z.number(),
  openUntilMs: z.number(),
  openings: z.int(),
  probeAtMs: z.number(),
});
export type AppBreakerDocument = z.infer<typeof appBreaker>;
const document = { collection: 'appBreakers', schema: appBreaker };

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
  isOnlyAccount: AppBreakerStore['isOnlyAccount'],
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
    isOnlyAccount,
  };
}

const parseBreaker = (stored: AppBreakerDocument) => parseDocument(document, stored);
