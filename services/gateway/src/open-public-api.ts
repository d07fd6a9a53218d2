import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
import { startLoop } from '@inventory/runtime/loop';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { CollectorClient } from './clients/collector-client.ts';
import type { EventStreamClient } from './clients/event-stream-client.ts';
import type { LedgerClient } from './clients/ledger-client.ts';
import type { LivePageClient } from './clients/live-page-client.ts';
import type { RevisionStoreClient } from './clients/revision-store-client.ts';
import type { StagingClient } from './clients/staging-client.ts';
import type { WebhookClient } from './clients/webhook-client.ts';
import type { GatewayConfig } from './config.ts';
import { onProjectEvent } from './consumers/on-project-event.ts';
import type { StoredAuthority } from './domain/stream-authorization.ts';
import { createPublicApp } from './http/app.ts';
import type { PrincipalCache } from './http/authenticate.ts';
import { listEventsRoute } from './http/events/list-events.ts';
import { streamEventsRoute } from './http/events/stream-events.ts';
import { openApiPage } from './http/openapi/openapi-page.ts';
import { startPublicServer } from './http/public-server.ts';
import { referencePages } from './http/reference/reference-pages.ts';
import { createCursorSealer } from './http/sealed-cursor.ts';
import { cancelRefreshRoute } from './http/v2/cancel-refresh.ts';
import { listRefreshesRoute } from './http/v2/list-refreshes.ts';
import { readAccountRoute } from './http/v2/read-account.ts';
import { readCurrentRoute } from './http/v2/read-current.ts';
import { readPricesRoute } from './http/v2/read-prices.ts';
import { readRefreshRoute } from './http/v2/read-refresh.ts';
import { readStatementRoute } from './http/v2/read-statement.ts';
import { readUsageRoute } from './http/v2/read-usage.ts';
import { requestRefreshRoute } from './http/v2/request-refresh.ts';
import { requestRefreshesRoute } from './http/v2/request-refreshes.ts';
import { setBalanceAlertRoute } from './http/v2/set-balance-alert.ts';
import { webhookDeliveryRoutes } from './http/webhooks/delivery-routes.ts';
import { webhookEndpointRoutes } from './http/webhooks/endpoint-routes.ts';
import { openCaptures } from './open-captures.ts';
import { openEventStreams } from './open-event-streams.ts';
import { livePageRoutes } from './open-live-pages.ts';
import { openPageReads } from './open-page-reads.ts';
import { openRefreshWaits } from './open-refresh-waits.ts';
import { createRequestLimiter } from './operations/limit-requests.ts';
import { pendingCancels } from './operations/pending-cancels.ts';
import type { ReplyChannel } from './operations/request-reply.ts';
import { resendPendingCommands } from './operations/resend-pending-commands.ts';
import type { PriceVersion } from './operations/track-prices.ts';
import { captureIndexes } from './storage/capture-store.ts';
import { createPageIntentStore, pageIntentIndexes } from './storage/page-intent-store.ts';
import { createPendingCancelStore, pendingCancelIndexes } from './storage/pending-cancel-store.ts';
import { createRateWindowStore, rateWindowIndexes } from './storage/rate-window-store.ts';
import { readKeyIndexes } from './storage/read-key-store.ts';

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
