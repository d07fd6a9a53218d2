import type { AccountId } from '@inventory/contracts/ids';
import type { TypedCollection } from '@inventory/mongo/typed-collection';
import type { AdmissionDocument, RefreshDocument } from '../collections.ts';
import type { AdmissionState } from './admission.domain.ts';

/** The admission state that all replicas share, and the counts it is computed from. */
export interface AdmissionStore {
  readAdmission(): Promise<AdmissionState>;
  saveOutstanding(state: AdmissionState): Promise<void>;
  setOperatorClosed(closed: boolean): Promise<AdmissionState>;
  countOutstanding(): Promise<number>;
  countOutstandingOfAccount(accountId: string): Promise<number>;
}

const initialState: AdmissionState = { operatorClosed: false, countClosed: false, outstanding: 0 };

export function createAdmissionStore(
  admission: TypedCollection<AdmissionDocument>,
  refreshes: TypedCollection<RefreshDocument>,
): AdmissionStore {
  async function read(): Promise<AdmissionState> {
    const found = await admission.findOne({ _id: 'admission' });
    if (!found) return initialState;
    const { operatorClosed = false, countClosed = false, outstanding = 0 } = found;
    return { operatorClosed, countClosed, outstanding };
  }

  return {
    readAdmission: read,
    async saveOutstanding({ countClosed, outstanding }) {
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
    countOutstandingOfAccount: (accountId) =>
      refreshes.countDocuments({ terminal: false, accountId: accountId as AccountId }),
  };
}
