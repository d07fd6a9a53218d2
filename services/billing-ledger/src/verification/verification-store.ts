import { type VerifyReport, verifyReport } from '@inventory/contracts/internal/ledger';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { verificationsCollection } from '../collections.ts';

export type JournalProblem = VerifyReport['problems'][number];

const lastDocument = verifyReport.out.extend({ _id: z.literal('last') });
type LastDocument = z.output<typeof lastDocument>;
const document = { collection: verificationsCollection, schema: lastDocument };

export type VerificationStore = ReturnType<typeof createVerificationStore>;

export function createVerificationStore(db: Db, logger: Logger) {
  const collection = db.collection<LastDocument>(verificationsCollection);
  const byId = { _id: 'last' } as const;
  return {
    /** Null where there is none, and for a corrupt one, which the next replaces. */
    async findLast(): Promise<VerifyReport | null> {
      const found = await collection.find(byId).toArray();
      const [last] = readEach(found, (stored) => parseDocument(document, stored), logger);
      if (last === undefined) return null;
      const { _id, ...report } = last;
      return report;
    },
    /** Replaces the last one. */
    async saveLast(report: VerifyReport) {
      await collection.replaceOne(byId, report, { upsert: true });
    },
  };
}
