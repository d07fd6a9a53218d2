import { invariant } from '@inventory/runtime/bug';
import type { AccountServices } from './accounts/account-services.ts';
import { readAccountRoute } from './accounts/read-account-route.ts';
import { readPricesRoute } from './accounts/read-prices-route.ts';
import { readProjectRoute } from './accounts/read-project-route.ts';
import { readStatementRoute } from './accounts/read-statement-route.ts';
import { readUsageRoute } from './accounts/read-usage-route.ts';
import { setBalanceAlertRoute } from './accounts/set-balance-alert-route.ts';
import { credentialRoutes } from './credentials/credential-routes.ts';
import type { CredentialServices } from './credentials/own-credentials.ts';
import type { BoundPublicRoute, PublicEndpoint, PublicRoute } from './http/public-route.ts';
import { exportCurrentRoute } from './pages/export-current-route.ts';
import type { PageServices } from './pages/open-pages.ts';
import { readChangesRoute } from './pages/read-changes-route.ts';
import { readCurrentRoute } from './pages/read-current-route.ts';
import { readLivePageRoute } from './pages/read-live-page-route.ts';
import { readSummaryRoute } from './pages/read-summary-route.ts';
import { readV1PageAliasRoute, readV1PageRoute } from './pages/read-v1-page-route.ts';
import { cancelRefreshRoute } from './refreshes/cancel-refresh-route.ts';
import { listRefreshesRoute } from './refreshes/list-refreshes-route.ts';
import type { RefreshServices } from './refreshes/open-refreshes.ts';
import { readRefreshRoute } from './refreshes/read-refresh-route.ts';
import { requestRefreshRoute } from './refreshes/request-refresh-route.ts';
import { requestRefreshesRoute } from './refreshes/request-refreshes-route.ts';
import { type SandboxServices, sandboxRoutes } from './sandbox/sandbox-routes.ts';
import { readStatusRoute, type StatusServices } from './status/read-status-route.ts';
import { type EventListServices, listEventsRoute } from './streams/list-events-route.ts';
import type { StreamServices } from './streams/open-event-streams.ts';
import { streamEventsRoute } from './streams/stream-events-route.ts';
import type { WatchServices } from './watches/open-watches.ts';
import { watchRoutes } from './watches/watch-routes.ts';
import { webhookDeliveryRoutes } from './webhooks/webhook-delivery-routes.ts';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoint-routes.ts';
import type { WebhookServices } from './webhooks/webhook-services.ts';

/** The services of each feature, which its routes take whole. */
export interface PublicServices {
  readonly refreshes: RefreshServices;
  readonly pages: PageServices;
  readonly watches: WatchServices;
  readonly streams: StreamServices;
  readonly events: EventListServices;
  readonly webhooks: WebhookServices;
  readonly accounts: AccountServices;
  readonly credentials: CredentialServices;
  readonly status: StatusServices;
  readonly sandbox: SandboxServices;
}

export interface PublicOperation extends PublicEndpoint {
  /** With the services of its feature, which must be among them. */
  bind(services: Partial<PublicServices>): BoundPublicRoute;
}

/** Every operation of the public API, in the order of the reference. */
export const publicRoutes: readonly PublicOperation[] = [
  ...of('refreshes', [
    requestRefreshRoute,
    requestRefreshesRoute,
    readRefreshRoute,
    cancelRefreshRoute,
    listRefreshesRoute,
  ]),
  ...of('pages', [
    readSummaryRoute,
    readCurrentRoute,
    readChangesRoute,
    exportCurrentRoute,
    readLivePageRoute,
  ]),
  ...of('watches', watchRoutes),
  ...of('streams', [streamEventsRoute]),
  ...of('events', [listEventsRoute]),
  ...of('webhooks', [...webhookEndpointRoutes, ...webhookDeliveryRoutes]),
  ...of('accounts', [
    readAccountRoute,
    readProjectRoute,
    readStatementRoute,
    readUsageRoute,
    setBalanceAlertRoute,
  ]),
  ...of('credentials', credentialRoutes),
  ...of('accounts', [readPricesRoute]),
  ...of('status', [readStatusRoute]),
  ...of('sandbox', sandboxRoutes),
  ...of('pages', [readV1PageRoute, readV1PageAliasRoute]),
];

function of<Feature extends keyof PublicServices>(
  feature: Feature,
  routes: readonly PublicRoute<PublicServices[Feature]>[],
): PublicOperation[] {
  return routes.map((route) => ({
    ...route,
    bind({ [feature]: services }) {
      invariant(services !== undefined, `${feature} are not open in this process`);
      return route.bind(services);
    },
  }));
}
