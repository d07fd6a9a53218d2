import type { AccountId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { dateOf } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { AccountLeaseDocument } from '../webhooks/webhook-document.ts';

/** Which replica sends to the endpoints of an account. */
export interface AccountLeases {
  /** Acquires those that no other owner holds; returns the owner's leases and their ends. */
  acquire(
    accountIds: readonly AccountId[],
    lease: { readonly owner: string; readonly nowMs: number; readonly untilMs: number },
  ): Promise<ReadonlyMap<AccountId, number>>;
  /** Returns those that the owner still holds. */
  renew(accountIds: readonly AccountId[], owner: string, untilMs: number): Promise<AccountId[]>;
  release(accountIds: readonly AccountId[], owner: string): Promise<void>;
}

export function createAccountLeases(leases: Collection<AccountLeaseDocument>): AccountLeases {
  const listOwn = (accountIds: readonly AccountId[], owner: string) =>
    leases.find({ _id: { $in: [...accountIds] }, owner }).toArray();

  return {
    async acquire(accountIds, { owner, nowMs, untilMs }) {
      const until = dateOf(untilMs);
      const free = { until: { $lte: dateOf(nowMs) } };
      const writes = accountIds.map((_id) => ({
        updateOne: { filter: { _id, ...free }, update: { $set: { owner, until } }, upsert: true },
      }));
      try {
        await leases.bulkWrite(writes, { ordered: false });
      } catch (error) {
        // The insert of a lease that another owner holds.
        if (!duplicateKeyOf(error)) throw error;
      }
      const own = await listOwn(accountIds, owner);
      return new Map(own.map((lease) => [lease._id, lease.until.getTime()]));
    },
    async renew(accountIds, owner, untilMs) {
      const { matchedCount } = await leases.updateMany(
        { _id: { $in: [...accountIds] }, owner },
        { $set: { until: dateOf(untilMs) } },
      );
      if (matchedCount === accountIds.length) return [...accountIds];
      return (await listOwn(accountIds, owner)).map(({ _id }) => _id);
    },
    async release(accountIds, owner) {
      await leases.deleteMany({ _id: { $in: [...accountIds] }, owner });
    },
  };
}
