import { readAccountRoute } from './accounts/read-account-route.ts';
import { readPricesRoute } from './accounts/read-prices-route.ts';
import { readStatementRoute } from './accounts/read-statement-route.ts';
import { readUsageRoute } from './accounts/read-usage-route.ts';
import { setBalanceAlertRoute } from './accounts/set-balance-alert-route.ts';
import { credentialRoutes } from './credentials/credential-routes.ts';
import type { PublicEndpoint } from './http/public-route.ts';
import { exportCurrentRoute } from './pages/export-current-route.ts';
import { readChangesRoute } from './pages/read-changes-route.ts';
import { readCurrentRoute } from './pages/read-current-route.ts';
import { readLivePageRoute } from './pages/read-live-page-route.ts';
import { readV1PageAliasRoute, readV1PageRoute } from './pages/read-v1-page-route.ts';
import { cancelRefreshRoute } from './refreshes/cancel-refresh-route.ts';
import { listRefreshesRoute } from './refreshes/list-refreshes-route.ts';
import { readRefreshRoute } from './refreshes/read-refresh-route.ts';
import { requestRefreshRoute } from './refreshes/request-refresh-route.ts';
import { requestRefreshesRoute } from './refreshes/request-refreshes-route.ts';
import { readStatusRoute } from './status/read-status-route.ts';
import { listEventsRoute } from './streams/list-events-route.ts';
import { streamEventsRoute } from './streams/stream-events-route.ts';
import { watchRoutes } from './watches/watch-routes.ts';
import { webhookDeliveryRoutes } from './webhooks/webhook-delivery-routes.ts';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoint-routes.ts';

/** Every operation of the public API, in the order of the reference. */
export const publicRoutes: readonly PublicEndpoint[] = [
  requestRefreshRoute,
  requestRefreshesRoute,
  readRefreshRoute,
  cancelRefreshRoute,
  listRefreshesRoute,
  readCurrentRoute,
  readChangesRoute,
  exportCurrentRoute,
  readLivePageRoute,
  ...watchRoutes,
  streamEventsRoute,
  listEventsRoute,
  ...webhookEndpointRoutes,
  ...webhookDeliveryRoutes,
  readAccountRoute,
  readStatementRoute,
  readUsageRoute,
  setBalanceAlertRoute,
  ...credentialRoutes,
  readPricesRoute,
  readStatusRoute,
  readV1PageRoute,
  readV1PageAliasRoute,
];
