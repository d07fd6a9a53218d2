import type { AccountId } from '@inventory/contracts/ids';
import type { BalanceView } from '@inventory/contracts/internal/ledger';
import { startLoop } from '@inventory/runtime/loop';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { ReplyChannel } from '../commands/request-reply.ts';
import { resendPendingCommands } from '../commands/resend-pending-commands.ts';
import type { GatewayConfig } from '../config.ts';
import { createIntentCloser } from './close-intents.ts';
import { createKeyedReads, type KeyedReads } from './keyed-reads.ts';
import { createPageCharges } from './page-charges.ts';
import type { PageIntentStore } from './page-intent-store.ts';
import { pageReversals } from './page-reversals.ts';
import { createReadKeyStore } from './read-key-store.ts';

export interface PageReadParts {
  readonly db: Db;
  readonly intents: PageIntentStore;
  readonly channel: ReplyChannel;
  readonly chains: { end(chainId: string): Promise<void> };
  readonly ledger: { balance(accountId: AccountId): Promise<BalanceView> };
}

const sweepEveryMs = 1_000;

/**
 * Page reads that are charged, with their Idempotency-Keys, and the sweeper that undoes the charge
 * of what was not delivered, by this replica and by any that went away.
 */
export function openPageReads(
  context: ServiceContext<GatewayConfig>,
  { db, intents, channel, chains, ledger }: PageReadParts,
): KeyedReads {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { limits, deadlines } = config;
  const keys = createReadKeyStore(db, deadlines);
  const sweeping = { channel, clock, replica: identifiers.uuidV7(), deadlines };
  const reversals = pageReversals({ store: intents.owed, keys, chains, logger });
  const reversing = startLoop({
    name: 'page reversals',
    idleMs: sweepEveryMs,
    logger,
    round: () => resendPendingCommands(sweeping, reversals),
  });
  lifetime.defer('page reversals', () => reversing.stop());
  const wakeReversals = reversing.wake;
  const closer = createIntentCloser({ intents, keys, wakeReversals, clock, logger });
  lifetime.defer('charge intents', () => closer.idle());
  const charges = createPageCharges({ channel, intents, closer, clock, logger, limits });
  return createKeyedReads({ charges, keys, ledger, clock, logger, limits, deadlines });
}
