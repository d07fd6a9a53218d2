import type { AccountId } from '@inventory/contracts/ids';
import { upsert } from '@inventory/mongo/duplicate-key';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import { z } from 'zod';
import {
  type AppOpening,
  nextProbeMs,
  openingAt,
  probeWaitsUntilMs,
} from './app-breaker.domain.ts';

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
export type AppBreakerStore = ReturnType<typeof createAppBreakerStore>;

export function createAppBreakerStore(
  breakers: Collection<AppBreakerDocument>,
  isOnlyAccount: (accountId: AccountId) => Promise<boolean>,
  logger: Logger,
) {
  return {
    /** By application id, as they are at this time. */
    async readOpenings(nowMs: number): Promise<Map<number, AppOpening>> {
      const found = await breakers.find().toArray();
      const read = readEach(found, parseBreaker, logger);
      return new Map(read.map(({ _id, ...opening }) => [_id, openingAt(opening, nowMs)]));
    },
    async saveOpening(appId: number, opening: AppOpening): Promise<void> {
      await upsert(() => breakers.updateOne({ _id: appId }, { $set: opening }, { upsert: true }));
    },
    /** Deletes this opening, not one that another replica stored since. */
    async deleteOpening(appId: number, { openedAtMs }: AppOpening): Promise<void> {
      await breakers.deleteOne({ _id: appId, openedAtMs });
    },
    /** Claims the probe that is due; false when another replica has claimed it. */
    async claimProbe(appId: number, { openedAtMs }: AppOpening, nowMs: number): Promise<boolean> {
      const isDue = [
        { probeAtMs: { $lte: nowMs } },
        { probeAtMs: { $gt: probeWaitsUntilMs(nowMs) } },
      ];
      const { modifiedCount } = await breakers.updateOne(
        { _id: appId, openedAtMs, $or: isDue },
        { $set: { probeAtMs: nextProbeMs(nowMs) } },
      );
      return modifiedCount === 1;
    },
    /** Whether no other account has a stored refresh. */
    isOnlyAccount,
  };
}

const parseBreaker = (stored: AppBreakerDocument) => parseDocument(document, stored);
