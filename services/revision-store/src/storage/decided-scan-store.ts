import { dateOf } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { ScanDocument } from './collections.ts';

export type DecidedScanStore = ReturnType<typeof createDecidedScanStore>;

/** What remains to be done about scans after their decision. */
export function createDecidedScanStore(collection: Collection<ScanDocument>) {
  return {
    /** Decided scans whose chunks are still there; of one inventory, or of all. */
    async findUndropped(limit: number, ofScope?: string): Promise<string[]> {
      const found = await collection
        .find({ chunksDropAt: { $exists: true }, ...(ofScope ? { scope: ofScope } : {}) })
        .project<{ _id: string }>({ _id: 1 })
        .sort({ chunksDropAt: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    async markDropped(scanId: string): Promise<void> {
      await collection.updateOne({ _id: scanId }, { $unset: { chunksDropAt: '' } });
    },

    /** Forgets scans that were decided before then; how many. */
    async forgetDecidedBefore(beforeMs: number): Promise<number> {
      const old = { decidedAt: { $lt: dateOf(beforeMs) }, outboxSince: { $exists: false } };
      return (await collection.deleteMany(old)).deletedCount;
    },
  };
}
