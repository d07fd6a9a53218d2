import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from './config.ts';
import type { AuthenticateDeps } from './http/authenticate.ts';
import { createRequestLimiter } from './http/limit-requests.ts';
import { createTrafficLimiter } from './http/limit-traffic.ts';
import { createRateWindowStore } from './http/rate-window-store.ts';
import { createCursorSealer } from './http/sealed-cursor.ts';
import { startPublicApi } from './http/start-public-api.ts';
import { type ApiRoutesDeps, openApiRoutes } from './open-api-routes.ts';
import { publicRoutes } from './public-routes.ts';
import { type EventStreamsParts, openEventStreams } from './streams/open-event-streams.ts';
import { createPositionCursors } from './streams/position-cursor.ts';

export interface PublicFeaturesDeps
  extends Omit<ApiRoutesDeps, 'limiter' | 'cursors' | 'positions' | 'tenancy'> {
  readonly tenancy: ApiRoutesDeps['tenancy'] &
    Pick<EventStreamsParts, 'findBySecretDigest'> &
    Pick<AuthenticateDeps, 'principals'>;
}

/** Opens the features of the public API that the role of this process serves, then serves them. */
export async function openPublicApi(
  context: ServiceContext<GatewayConfig>,
  { tenancy, ...shared }: PublicFeaturesDeps,
): Promise<{ readonly url: string }> {
  const { config, lifetime, clock } = context;
  const { deadlines, role, cursorKeys } = config;
  const cursors = createCursorSealer(cursorKeys);
  const positions = createPositionCursors(cursorKeys);
  const windows = createRateWindowStore(shared.db, deadlines);
  const limiter = createTrafficLimiter({
    limiter: createRequestLimiter({ windows, clock, deadlines }),
    customerRequestsPerMinute: config.customerRequestsPerMinute,
  });
  const { findBySecretDigest, principals } = tenancy;
  const log = shared.clients.eventLog;
  const streams =
    role === 'api'
      ? null
      : await openEventStreams(context, { ...shared, log, positions, findBySecretDigest });
  const routes = [
    ...(role === 'events'
      ? []
      : openApiRoutes(context, { ...shared, tenancy, limiter, cursors, positions })),
    ...(streams ? [streams.route] : []),
  ];
  const { prices } = shared;
  const server = await startPublicApi(context, {
    endpoints: publicRoutes,
    routes,
    principals,
    limiter,
    prices,
  });
  // Streams end with a control frame before the server closes the remaining connections.
  if (streams) lifetime.defer('event streams', () => streams.drain());
  return { url: server.url };
}
