import { deleteInBatches } from '@inventory/mongo/many-documents';
import { dateOf } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { ScanDocument } from './collections.ts';

export type DecidedScanStore = ReturnType<typeof createDecidedScanStore>;

/** Clean-up of scans after their decision. */
export function createDecidedScanStore(collection: Collection<ScanDocument>) {
  return {
    /** Decided scans with staged chunks. */
    async findUndroppedScans(limit: number): Promise<string[]> {
      const found = await collection
        .find({ chunksDropAt: { $exists: true } })
        .project<{ _id: string }>({ _id: 1 })
        .sort({ chunksDropAt: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    async markChunksDropped(scanId: string): Promise<void> {
      await collection.updateOne({ _id: scanId }, { $unset: { chunksDropAt: '' } });
    },

    /** Deletes the records of scans decided before then; returns how many. */
    deleteDecidedBefore: (beforeMs: number): Promise<number> =>
      deleteInBatches(collection, { decidedAt: { $lt: dateOf(beforeMs) } }),
  };
}
