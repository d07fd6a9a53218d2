import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
import { startLoop } from '@inventory/runtime/loop';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { LedgerClient } from './accounts/ledger-client.ts';
import { readAccountRoute } from './accounts/read-account-route.ts';
import { readPricesRoute } from './accounts/read-prices-route.ts';
import { readStatementRoute } from './accounts/read-statement-route.ts';
import { readUsageRoute } from './accounts/read-usage-route.ts';
import { setBalanceAlertRoute } from './accounts/set-balance-alert-route.ts';
import type { PriceVersion } from './accounts/track-prices.ts';
import { captureIndexes } from './captures/capture-store.ts';
import { openCaptures } from './captures/open-captures.ts';
import type { StagingClient } from './captures/staging-client.ts';
import type { ReplyChannel } from './commands/request-reply.ts';
import { resendPendingCommands } from './commands/resend-pending-commands.ts';
import type { GatewayConfig } from './config.ts';
import { createPublicApp } from './http/app.ts';
import type { PrincipalCache } from './http/authenticate.ts';
import { createRequestLimiter } from './http/limit-requests.ts';
import { openApiPage } from './http/openapi/openapi-page.ts';
import { startPublicServer } from './http/public-server.ts';
import { createRateWindowStore, rateWindowIndexes } from './http/rate-window-store.ts';
import { referencePages } from './http/reference/reference-pages.ts';
import { createCursorSealer } from './http/sealed-cursor.ts';
import type { LivePageClient } from './pages/live-page-client.ts';
import { livePageRoutes } from './pages/open-live-pages.ts';
import { openPageReads } from './pages/open-page-reads.ts';
import { createPageIntentStore, pageIntentIndexes } from './pages/page-intent-store.ts';
import { readCurrentRoute } from './pages/read-current-route.ts';
import { readKeyIndexes } from './pages/read-key-store.ts';
import type { RevisionStoreClient } from './pages/revision-store-client.ts';
import { cancelRefreshRoute } from './refreshes/cancel-refresh-route.ts';
import type { CollectorClient } from './refreshes/collector-client.ts';
import { listRefreshesRoute } from './refreshes/list-refreshes-route.ts';
import { onProjectEvent } from './refreshes/on-project-event.ts';
import { openRefreshWaits } from './refreshes/open-refresh-waits.ts';
import {
  createPendingCancelStore,
  pendingCancelIndexes,
} from './refreshes/pending-cancel-store.ts';
import { pendingCancels } from './refreshes/pending-cancels.ts';
import { readRefreshRoute } from './refreshes/read-refresh-route.ts';
import { requestRefreshRoute } from './refreshes/request-refresh-route.ts';
import { requestRefreshesRoute } from './refreshes/request-refreshes-route.ts';
import type { EventStreamClient } from './streams/event-stream-client.ts';
import { listEventsRoute } from './streams/list-events-route.ts';
import { openEventStreams } from './streams/open-event-streams.ts';
import type { StoredAuthority } from './streams/stream-authorization.domain.ts';
import { streamEventsRoute } from './streams/stream-events-route.ts';
import { webhookDeliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookEndpointRoutes } from './webhooks/endpoint-routes.ts';
import type { WebhookClient } from './webhooks/webhook-client.ts';

export const publicApiIndexes = [
  pageIntentIndexes,
  pendingCancelIndexes,
  rateWindowIndexes,
  readKeyIndexes,
  captureIndexes,
];

export interface PublicApiParts {
  readonly db: Db;
  readonly channel: ReplyChannel;
  readonly bus: Pick<MessageBus, 'broadcast' | 'publish'>;
  readonly authorities: PrincipalCache;
  readonly collector: CollectorClient;
  readonly ledger: LedgerClient;
  readonly revisions: RevisionStoreClient;
  readonly findProject: (id: ProjectId) => Promise<{ readonly accountId: AccountId } | null>;
  readonly livePages: LivePageClient;
  readonly staging: StagingClient;
  readonly prices: Pick<PriceVersion, 'current' | 'list'>;
  readonly eventLog: EventStreamClient;
  readonly webhooks: WebhookClient;
  readonly findBySecretDigest: (secretDigest: string) => Promise<StoredAuthority | null>;
}

const sweepEveryMs = 1_000;

/**
 * The public API and the sweepers that finish what a request left open: undelivered pages,
 * captured chains and undecided attempts, of this replica and of any that went away.
 */
export async function openPublicApi(
  context: ServiceContext<GatewayConfig>,
  parts: PublicApiParts,
): Promise<{ readonly url: string }> {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { db, bus, channel, collector, ledger, revisions, staging, prices } = parts;
  const { limits, deadlines, publicHttp: address } = config;
  const intents = createPageIntentStore(db, deadlines);
  const cancels = createPendingCancelStore(db, deadlines);
  const cursors = createCursorSealer(keysOf(config.cursorKeys));
  const sweeping = { channel, clock, replica: identifiers.uuidV7(), deadlines };

  const owedCancels = pendingCancels(cancels.owed, logger);
  const cancelling = startLoop({
    name: 'pending cancels',
    idleMs: sweepEveryMs,
    logger,
    round: () => resendPendingCommands(sweeping, owedCancels),
  });
  lifetime.defer('pending cancels', () => cancelling.stop());

  const waits = openRefreshWaits(lifetime);
  const chains = openCaptures(context, { db, bus, intents, staging });
  const reads = openPageReads(context, { db, intents, channel, chains, ledger });
  const live = { livePages: parts.livePages, reads, chains, ledger, prices, cursors };
  const shared = { channel, collector, clock, logger, deadlines, ...limits };

  const windows = createRateWindowStore(db, deadlines);
  const limiter = createRequestLimiter({ windows, clock, deadlines });
  const admission = {
    ...shared,
    pendingCancels: cancels,
    wakeCancels: cancelling.wake,
    identifiers,
  };
  const { eventLog: log, findBySecretDigest } = parts;
  const events = openEventStreams(context, { log, cursors, findBySecretDigest });
  const ringWaits = onProjectEvent(waits);
  // One reader for all that this replica hears of events: each record is decoded once.
  const announcements = await bus.broadcast({
    name: 'gateway-project-events',
    topics: ['project.events.v1', 'authority.changes.v1'],
    onMessage(message) {
      ringWaits(message);
      events.onMessage(message);
    },
  });
  lifetime.defer('project events', () => announcements.stop());
  const routes = [
    requestRefreshRoute(admission),
    requestRefreshesRoute({ ...admission, limiter }),
    readRefreshRoute({ collector, waits, deadlines, stopping: lifetime.signal }),
    cancelRefreshRoute(shared),
    listRefreshesRoute({ collector, cursors }),
    readCurrentRoute({ revisions, reads, cursors, prices, clock }),
    ...livePageRoutes(context, live),
    readAccountRoute({ ledger }),
    readStatementRoute({ ledger, cursors }),
    readUsageRoute({ ledger, findProject: parts.findProject, clock }),
    setBalanceAlertRoute(shared),
    readPricesRoute({ ledger }),
    streamEventsRoute(events),
    listEventsRoute(events),
    ...webhookEndpointRoutes(parts.webhooks),
    ...webhookDeliveryRoutes({ webhooks: parts.webhooks, cursors }),
  ];
  const listener = createPublicApp({
    routes,
    pages: { ...openApiPage(routes), ...referencePages(config.reference) },
    authorities: parts.authorities,
    trustedProxies: config.trustedProxies,
    limiter,
    prices,
    v1DeprecatedAtMs: config.v1DeprecatedAtMs,
    deadlines,
    clock,
    identifiers,
    logger,
  });
  const server = await startPublicServer({ listener, identifiers, deadlines, ...address });
  lifetime.defer('public HTTP', () => server.close(limits.drainMs));
  // Told to go before the server cuts what is still open.
  lifetime.defer('event streams', () => events.streams.drain());
  return { url: server.url };
}

function keysOf(encoded: readonly string[]): [Buffer, ...Buffer[]] {
  const [first, ...others] = encoded.map((key) => Buffer.from(key, 'base64url'));
  invariant(first !== undefined, 'there is no cursor key');
  return [first, ...others];
}
