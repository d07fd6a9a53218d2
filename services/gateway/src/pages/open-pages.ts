import type { AccountId } from '@inventory/contracts/ids';
import { shortCalls } from '@inventory/http/call-lanes';
import type { MessageBus } from '@inventory/messaging/bus';
import { createKeyedSemaphore, createSemaphorePerKey } from '@inventory/runtime/semaphore';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { Funds } from '../accounts/funds.ts';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { PriceVersion } from '../accounts/prices.ts';
import type { CaptureConfig } from '../captures/capture-config.ts';
import { type Captures, openCaptures } from '../captures/open-captures.ts';
import type { StagingClient } from '../captures/staging-client.ts';
import { commandWork } from '../commands/command-work.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import { createDeliveryPlaces } from '../http/delivery-places.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { createIntentCloser } from './close-intents.ts';
import { exportCurrentRoute } from './export-current-route.ts';
import { createKeyedReads, type KeyedReads } from './keyed-reads.ts';
import type { LivePageClient } from './live-page-client.ts';
import { createPageCharges } from './page-charges.ts';
import type { PageConfig } from './page-config.ts';
import { createPageIntentStore, type PageIntentStore } from './page-intent-store.ts';
import { pageReversals } from './page-reversals.ts';
import { readChangesRoute } from './read-changes-route.ts';
import { readCurrentRoute } from './read-current-route.ts';
import { createReadKeyStore } from './read-key-store.ts';
import { readLivePageRoute } from './read-live-page-route.ts';
import { readV1PageAliasRoute, readV1PageRoute } from './read-v1-page-route.ts';
import type { RevisionStoreClient } from './revision-store-client.ts';

interface PagesDeps {
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly commands: RequestReplyClient;
  readonly ledger: LedgerClient;
  readonly funds: Funds;
  readonly revisions: RevisionStoreClient;
  readonly livePages: LivePageClient;
  readonly staging: StagingClient;
  readonly prices: Pick<PriceVersion, 'currentVersion'>;
  readonly cursors: CursorSealer;
}

/**
 * Charged page reads with their Idempotency-Keys, and the sweeper that reverses the charges of
 * undelivered pages of all replicas.
 */
function openKeyedReads(
  context: ServiceContext<ServiceConfig & PageConfig>,
  deps: PagesDeps & { readonly intents: PageIntentStore; readonly chains: Captures },
): KeyedReads {
  const { db, commands, ledger, funds, intents, chains } = deps;
  const { config, lifetime, clock, logger } = context;
  const { pageReads: limits, deadlines } = config;
  const keys = createReadKeyStore(db, deadlines);
  const reversals = pageReversals({ queue: intents.reversals, keys, chains, logger });
  const work = commandWork(reversals, { commands, deadlines });
  const { wake: wakeReversals } = startWorker(work, context);
  const closer = createIntentCloser({ intents, keys, wakeReversals, clock, logger });
  lifetime.defer('charge intents', () => closer.waitUntilIdle());
  const charges = createPageCharges({ commands, intents, closer, funds, clock, logger, limits });
  return createKeyedReads({ charges, keys, ledger, clock, logger, limits, deadlines });
}

/**
 * Of the connections to the revision-store that short reads share an account has a quarter at a time;
 * its further reads wait for its own.
 */
const storeReads = { permits: shortCalls.connections / 4, waitingMax: 1_000 } as const;

/** Current, Live Page and both routes of V1: one charged page each. */
export function openPages(
  context: ServiceContext<ServiceConfig & PageConfig & CaptureConfig>,
  deps: PagesDeps,
): BoundPublicRoute[] {
  const { config, clock, identifiers, logger } = context;
  const { funds, revisions, livePages, prices, cursors } = deps;
  const intents = createPageIntentStore(
    deps.db,
    { ...config.deadlines, ...config.pageReads },
    logger,
  );
  const chains = openCaptures(context, { ...deps, intents });
  const reads = openKeyedReads(context, { ...deps, intents, chains });
  const { cursorAgeMaxMs, limits } = config.livePages;
  const limiter = createKeyedSemaphore<AccountId>(limits);
  const saved = {
    revisions,
    reads,
    cursors,
    prices,
    clock,
    storeReads: createSemaphorePerKey<AccountId>(storeReads.permits, storeReads.waitingMax),
  };
  const live = { livePages, reads, prices, funds, limiter };
  return [
    readCurrentRoute.bind(saved),
    readChangesRoute.bind({ ...saved, ledger: deps.ledger }),
    exportCurrentRoute.bind({
      revisions,
      reads,
      prices,
      clock,
      logger,
      places: createDeliveryPlaces<AccountId>({
        limits: config.exports.limits,
        bytesPerSecondMin: config.deliveryBytesPerSecondMin,
        kind: 'export',
        clock,
      }),
      timeMaxMs: config.exports.timeMaxMs,
    }),
    readLivePageRoute.bind({ ...live, chains, cursors, cursorAgeMaxMs, clock, identifiers }),
    readV1PageRoute.bind(live),
    readV1PageAliasRoute.bind(live),
  ];
}
