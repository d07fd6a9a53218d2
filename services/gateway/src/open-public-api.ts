import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
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
import type { StagingClient } from './captures/staging-client.ts';
import type { RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import { createPublicApp } from './http/app.ts';
import type { PrincipalCache } from './http/authenticate.ts';
import { createRequestLimiter } from './http/limit-requests.ts';
import { openApiPage } from './http/openapi/openapi-page.ts';
import { startPublicServer } from './http/public-server.ts';
import { createRateWindowStore, rateWindowIndexes } from './http/rate-window-store.ts';
import { referencePages } from './http/reference/reference-pages.ts';
import { createCursorSealer } from './http/sealed-cursor.ts';
import type { Broadcasts } from './open-broadcasts.ts';
import type { LivePageClient } from './pages/live-page-client.ts';
import { openPages } from './pages/open-pages.ts';
import { pageIntentIndexes } from './pages/page-intent-store.ts';
import { readKeyIndexes } from './pages/read-key-store.ts';
import type { RevisionStoreClient } from './pages/revision-store-client.ts';
import type { CollectorClient } from './refreshes/collector-client.ts';
import { openRefreshes } from './refreshes/open-refreshes.ts';
import { pendingCancelIndexes } from './refreshes/pending-cancel-store.ts';
import type { EventStreamClient } from './streams/event-stream-client.ts';
import { openEventStreams } from './streams/open-event-streams.ts';
import type { StoredAuthority } from './streams/stream-authorization.domain.ts';
import { deliveryRoutes } from './webhooks/delivery-routes.ts';
import { endpointRoutes } from './webhooks/endpoint-routes.ts';
import type { WebhookClient } from './webhooks/webhook-client.ts';

export const publicApiIndexes = [
  pageIntentIndexes,
  pendingCancelIndexes,
  rateWindowIndexes,
  readKeyIndexes,
  captureIndexes,
];

export interface PublicApiDeps {
  readonly db: Db;
  readonly commands: RequestReplyClient;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly broadcasts: Broadcasts;
  readonly authorities: PrincipalCache;
  readonly collector: CollectorClient;
  readonly ledger: LedgerClient;
  readonly revisions: RevisionStoreClient;
  readonly findProject: (id: ProjectId) => Promise<{ readonly accountId: AccountId } | null>;
  readonly livePages: LivePageClient;
  readonly staging: StagingClient;
  readonly prices: Pick<PriceVersion, 'current' | 'list' | 'read'>;
  readonly eventLog: EventStreamClient;
  readonly webhooks: WebhookClient;
  readonly findBySecretDigest: (secretDigest: string) => Promise<StoredAuthority | null>;
}

/** The public API: every feature's routes in the one HTTP frame. */
export async function openPublicApi(
  context: ServiceContext<GatewayConfig>,
  deps: PublicApiDeps,
): Promise<{ readonly url: string }> {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { db, commands, ledger, prices, authorities, webhooks, findProject } = deps;
  const { limits, deadlines } = config;
  const cursors = createCursorSealer(keysOf(config.cursorKeys));
  const windows = createRateWindowStore(db, deadlines);
  const limiter = createRequestLimiter({ windows, clock, deadlines });
  const streams = openEventStreams(context, { ...deps, log: deps.eventLog, cursors });
  const routes = [
    ...openRefreshes(context, { ...deps, limiter, cursors }),
    ...openPages(context, { ...deps, cursors }),
    ...streams.routes,
    ...endpointRoutes.map((route) => route.bind({ webhooks })),
    ...deliveryRoutes.map((route) => route.bind({ webhooks, cursors })),
    readAccountRoute.bind({ ledger }),
    readStatementRoute.bind({ ledger, cursors }),
    readUsageRoute.bind({ ledger, findProject, clock }),
    setBalanceAlertRoute.bind({ commands, logger, ...limits }),
    readPricesRoute.bind({ ledger }),
  ];
  const listener = createPublicApp({
    routes,
    pages: { ...openApiPage(routes), ...referencePages(config.reference) },
    authorities,
    trustedProxies: config.trustedProxies,
    limiter,
    prices,
    v1DeprecatedAtMs: config.v1DeprecatedAtMs,
    deadlines,
    clock,
    identifiers,
    logger,
  });
  const server = await startPublicServer({
    listener,
    identifiers,
    deadlines,
    ...config.publicHttp,
  });
  lifetime.defer('public HTTP', () => server.close(limits.drainMs));
  // Streams end with a control frame before the server cuts what is still open.
  lifetime.defer('event streams', () => streams.drain());
  return { url: server.url };
}

function keysOf(encoded: readonly string[]): [Buffer, ...Buffer[]] {
  const [first, ...others] = encoded.map((key) => Buffer.from(key, 'base64url'));
  invariant(first !== undefined, 'there is no cursor key');
  return [first, ...others];
}
