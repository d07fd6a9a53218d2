import { connectMongo } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import type { Task } from '@inventory/service-host/jobs';
import { ledgerIndexes } from './collections.ts';
import type { BillingLedgerConfig } from './config.ts';
import { openLedger } from './open-ledger.ts';

/**
 * `--verify`: verifies the journal in a process of its own. It waits while another process verifies,
 * and ends with exit code 1 where there are problems.
 */
export const verifyTask: Task<BillingLedgerConfig> = {
  flag: '--verify',
  async run(context) {
    const { config, lifetime, logger } = context;
    const mongo = await connectMongo({ ...config.mongodb, service: 'billing-ledger', logger });
    lifetime.defer('MongoDB', () => mongo.close());
    await ensureIndexes(mongo.db, ledgerIndexes);
    const { verifier } = await openLedger(context, mongo.db);
    const { problems } = await verifier.run();
    return problems.length === 0;
  },
};
