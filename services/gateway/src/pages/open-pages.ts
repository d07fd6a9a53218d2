import type { MessageBus } from '@inventory/messaging/bus';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { PriceVersion } from '../accounts/track-prices.ts';
import { openCaptures } from '../captures/open-captures.ts';
import type { StagingClient } from '../captures/staging-client.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import { resendPendingCommands } from '../commands/resend-pending-commands.ts';
import type { GatewayConfig } from '../config.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { createIntentCloser } from './close-intents.ts';
import { createKeyedReads, type KeyedReads } from './keyed-reads.ts';
import type { LivePageClient } from './live-page-client.ts';
import { createPageCharges } from './page-charges.ts';
import { createPageIntentStore, type PageIntentStore } from './page-intent-store.ts';
import { pageReversals } from './page-reversals.ts';
import { readCurrentRoute } from './read-current-route.ts';
import { createReadKeyStore } from './read-key-store.ts';
import { readLivePageRoute } from './read-live-page-route.ts';
import { readV1PageAliasRoute, readV1PageRoute } from './read-v1-page-route.ts';
import type { RevisionStoreClient } from './revision-store-client.ts';

export interface PagesDeps {
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly commands: RequestReplyClient;
  readonly ledger: LedgerClient;
  readonly revisions: RevisionStoreClient;
  readonly livePages: LivePageClient;
  readonly staging: StagingClient;
  readonly prices: Pick<PriceVersion, 'currentVersion' | 'currentPrices'>;
  readonly cursors: CursorSealer;
}

type Context = ServiceContext<GatewayConfig>;

const sweepEveryMs = 1_000;

/** Current, Live Page and both routes of V1: one charged page each. */
export function openPages(context: Context, deps: PagesDeps): BoundPublicRoute[] {
  const { config, clock, identifiers, logger } = context;
  const { ledger, revisions, livePages, prices, cursors } = deps;
  const intents = createPageIntentStore(deps.db, config.deadlines, logger);
  const chains = openCaptures(context, { ...deps, intents });
  const reads = openKeyedReads(context, { ...deps, intents, chains });
  const live = { livePages, reads, prices, funds: { ledger, prices } };
  const { cursorAgeMaxMs } = config.livePages;
  return [
    readCurrentRoute.bind({ revisions, reads, cursors, prices, clock }),
    readLivePageRoute.bind({ ...live, chains, cursors, cursorAgeMaxMs, clock, identifiers }),
    readV1PageRoute.bind(live),
    readV1PageAliasRoute.bind(live),
  ];
}

interface KeyedReadsDeps extends Pick<PagesDeps, 'db' | 'commands' | 'ledger'> {
  readonly intents: PageIntentStore;
  readonly chains: { excludeChain(chainId: string): Promise<void> };
}

/**
 * Charged page reads with their Idempotency-Keys, and the sweeper that reverses the charges of
 * undelivered pages of all replicas.
 */
function openKeyedReads(
  { config, lifetime, clock, identifiers, logger }: Context,
  { db, commands, ledger, intents, chains }: KeyedReadsDeps,
): KeyedReads {
  const { limits, deadlines } = config;
  const keys = createReadKeyStore(db, deadlines);
  const resending = { commands, clock, replica: identifiers.uuidV7(), deadlines };
  const reversals = pageReversals({ store: intents.pending, keys, chains, logger });
  const { wake: wakeReversals } = startPeriodicJob({
    name: 'page reversals',
    intervalMs: sweepEveryMs,
    lifetime,
    logger,
    runOnce: () => resendPendingCommands(resending, reversals),
  });
  const closer = createIntentCloser({ intents, keys, wakeReversals, clock, logger });
  lifetime.defer('charge intents', () => closer.waitUntilIdle());
  const charges = createPageCharges({ commands, intents, closer, clock, logger, limits });
  return createKeyedReads({ charges, keys, ledger, clock, logger, limits, deadlines });
}
