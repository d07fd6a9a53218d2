import type { AccountId } from '@inventory/contracts/ids';
import type { TypedCollection } from '@inventory/mongo/typed-collection';
import type { AdmissionDocument, RefreshDocument } from '../collections.ts';
import type { AdmissionLatch } from './admission.domain.ts';

/** The admission latch that all replicas share, and the count it is set from. */
export interface AdmissionStore {
  read(): Promise<AdmissionLatch>;
  saveCount(latch: AdmissionLatch): Promise<void>;
  setOperatorClosed(closed: boolean): Promise<AdmissionLatch>;
  countOutstanding(): Promise<number>;
  countOutstandingOf(accountId: string): Promise<number>;
}

const openLatch: AdmissionLatch = { operatorClosed: false, countClosed: false, outstanding: 0 };

export function createAdmissionStore(
  admission: TypedCollection<AdmissionDocument>,
  refreshes: TypedCollection<RefreshDocument>,
): AdmissionStore {
  async function read(): Promise<AdmissionLatch> {
    const found = await admission.findOne({ _id: 'admission' });
    if (!found) return openLatch;
    const { operatorClosed = false, countClosed = false, outstanding = 0 } = found;
    return { operatorClosed, countClosed, outstanding };
  }

  return {
    read,
    async saveCount({ countClosed, outstanding }) {
      const $set = { countClosed, outstanding };
      await admission.updateOne({ _id: 'admission' }, { $set }, { upsert: true });
    },
    async setOperatorClosed(operatorClosed) {
      await admission.updateOne(
        { _id: 'admission' },
        { $set: { operatorClosed } },
        { upsert: true },
      );
      return read();
    },
    countOutstanding: () => refreshes.countDocuments({ terminal: false }),
    countOutstandingOf: (accountId) =>
      refreshes.countDocuments({ terminal: false, accountId: accountId as AccountId }),
  };
}
