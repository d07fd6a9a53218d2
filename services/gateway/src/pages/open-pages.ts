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
import { openCaptures } from '../captures/open-captures.ts';
import type { StagingClient } from '../captures/staging-client.ts';
import { commandWork } from '../commands/command-work.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import { createDeliverySlots } from '../http/delivery/delivery-slots.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { CollectorClient } from '../refreshes/collector-client.ts';
import { createIntentCloser } from './close-intents.ts';
import type { LivePageClient } from './live-page-client.ts';
import type { PageConfig } from './page-config.ts';
import { createPageIntentStore } from './page-intent-store.ts';
import { pageReversals } from './page-reversals.ts';
import { createReadKeyStore } from './read-key-store.ts';
import type { RevisionStoreClient } from './revision-store-client.ts';

interface PagesNeeds {
  readonly db: Db;
  readonly bus: MessageBus;
  readonly commands: RequestReplyClient;
  readonly ledger: LedgerClient;
  readonly funds: Funds;
  readonly revisions: RevisionStoreClient;
  readonly collector: CollectorClient;
  readonly livePages: LivePageClient;
  readonly staging: StagingClient;
  readonly prices: PriceVersion;
  readonly cursors: CursorSealer;
}

/**
 * Of the connections to the revision-store that short reads share an account has a quarter at a time;
 * its further reads wait for its own.
 */
const storeReads = { permits: shortCalls.connections / 4, waitingMax: 1_000 } as const;

export type PageServices = ReturnType<typeof openPages>;

/**
 * Current, its export, Changes, Live Page and both routes of V1: charged reads with their
 * Idempotency-Keys, and the sweeper that reverses the charges of undelivered pages of all replicas.
 */
export function openPages(
  context: ServiceContext<ServiceConfig & PageConfig & CaptureConfig>,
  needs: PagesNeeds,
) {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { deadlines, pageReads: limits } = config;
  const { db, commands, revisions, collector, livePages, ledger, funds, prices, cursors } = needs;
  const intents = createPageIntentStore(db, { ...deadlines, ...limits }, logger);
  const keys = createReadKeyStore(db, deadlines);
  const chains = openCaptures(context, { ...needs, intents });
  const reversals = pageReversals({ queue: intents.reversals, keys, chains, logger });
  const { wake } = startWorker(commandWork(reversals, { commands, deadlines }), context);
  const closer = createIntentCloser({ intents, keys, wakeReversals: wake, clock, logger });
  lifetime.defer('charge intents', () => closer.waitUntilIdle());
  return {
    commands,
    intents,
    keys,
    closer,
    limits,
    deadlines,
    revisions,
    collector,
    storeReads: createSemaphorePerKey<AccountId>(storeReads.permits, storeReads.waitingMax),
    livePages,
    livePageLimiter: createKeyedSemaphore<AccountId>(config.livePages.limits),
    liveCursorAgeMaxMs: config.livePages.cursorAgeMaxMs,
    chains,
    exportSlots: createDeliverySlots<AccountId>({
      limits: config.exports.limits,
      bytesPerSecondMin: config.deliveryBytesPerSecondMin,
      kind: 'export',
      clock,
    }),
    exportTimeMaxMs: config.exports.timeMaxMs,
    ledger,
    funds,
    prices,
    cursors,
    clock,
    identifiers,
    logger,
  };
}
