import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { Funds } from '../accounts/funds.ts';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import { commandWork } from '../commands/command-work.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { GatewayConfig } from '../config.ts';
import { createIntentCloser } from './close-intents.ts';
import { createKeyedReads, type KeyedReads } from './keyed-reads.ts';
import { createPageCharges } from './page-charges.ts';
import type { PageIntentStore } from './page-intent-store.ts';
import { pageReversals } from './page-reversals.ts';
import { createReadKeyStore } from './read-key-store.ts';

/**
 * Charged page reads with their Idempotency-Keys, and the sweeper that reverses the charges of
 * undelivered pages of all replicas.
 */
export function openKeyedReads(
  context: ServiceContext<GatewayConfig>,
  parts: {
    readonly db: Db;
    readonly commands: RequestReplyClient;
    readonly ledger: LedgerClient;
    readonly funds: Funds;
    readonly intents: PageIntentStore;
    readonly chains: { excludeChain(chainId: string): Promise<void> };
  },
): KeyedReads {
  const { db, commands, ledger, funds, intents, chains } = parts;
  const { config, lifetime, clock, logger } = context;
  const { limits, deadlines } = config;
  const keys = createReadKeyStore(db, deadlines);
  const reversals = pageReversals({ queue: intents.reversals, keys, chains, logger });
  const work = commandWork(reversals, { commands, deadlines });
  const { wake: wakeReversals } = startWorker(work, context);
  const closer = createIntentCloser({ intents, keys, wakeReversals, clock, logger });
  lifetime.defer('charge intents', () => closer.waitUntilIdle());
  const charges = createPageCharges({ commands, intents, closer, funds, clock, logger, limits });
  return createKeyedReads({ charges, keys, ledger, clock, logger, limits, deadlines });
}
