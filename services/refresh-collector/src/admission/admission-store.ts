import type { AccountId } from '@inventory/contracts/ids';
import { upsert } from '@inventory/mongo/duplicate-key';
import { parseDocument } from '@inventory/mongo/parse-document';
import type { TypedCollection } from '@inventory/mongo/typed-collection';
import { z } from 'zod';
import type { RefreshDocument } from '../saga/refresh-document.ts';
import type { AdmissionState, CountedAdmission } from './admission.domain.ts';

/** Its fields are written apart: any of them may be missing. */
const admissionSchema = z.object({
  _id: z.literal('admission'),
  operatorClosed: z.boolean().default(false),
  countClosed: z.boolean().default(false),
  outstanding: z.int().default(0),
  counts: z.int().default(0),
});
export type AdmissionDocument = z.infer<typeof admissionSchema>;
const document = { collection: 'admission', schema: admissionSchema };

export type AdmissionStore = ReturnType<typeof createAdmissionStore>;

/** The admission state that all replicas share, and the counts it is computed from. */
export function createAdmissionStore(
  admission: TypedCollection<AdmissionDocument>,
  refreshes: TypedCollection<RefreshDocument>,
) {
  async function read(): Promise<CountedAdmission> {
    const found = await admission.findOne({ _id: 'admission' });
    const { _id, ...state } = parseDocument(document, found ?? { _id: 'admission' });
    return state;
  }

  return {
    readAdmission: read,
    /** Saves a new count after this many; false when another replica saved one meanwhile. */
    async saveCount(
      { countClosed, outstanding }: AdmissionState,
      counts: number,
    ): Promise<boolean> {
      const $set = { countClosed, outstanding, counts: counts + 1 };
      if (counts === 0) {
        await upsert(() => admission.updateOne({ _id: 'admission' }, { $set }, { upsert: true }));
        return true;
      }
      const { modifiedCount } = await admission.updateOne({ _id: 'admission', counts }, { $set });
      return modifiedCount === 1;
    },
    async setOperatorClosed(operatorClosed: boolean): Promise<AdmissionState> {
      const $set = { operatorClosed };
      await upsert(() => admission.updateOne({ _id: 'admission' }, { $set }, { upsert: true }));
      return read();
    },
    countOutstanding: (): Promise<number> => refreshes.countDocuments({ terminal: false }),
    countOutstandingOfAccount: (accountId: AccountId): Promise<number> =>
      refreshes.countDocuments({ terminal: false, accountId }),
  };
}
