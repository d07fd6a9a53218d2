import type { HttpServer } from '@inventory/http/http-server';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from '../config.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import { createPublicApp, type PublicAppOptions } from './app.ts';
import { createClientAddressOf } from './client-address.ts';
import { openApiPage, requireDocumented } from './openapi/openapi-page.ts';
import { createPeerConnections } from './peer-connections.ts';
import { endpointsOf, type PublicEndpoint } from './public-route.ts';
import { startPublicServer } from './public-server.ts';
import { referencePages } from './reference/reference-pages.ts';
import { refuseUnknownKeys } from './refuse-unknown-keys.ts';
import type { PublicPages } from './serve-pages.ts';
import { createUnknownKeys } from './unknown-keys.ts';

export interface PublicApiDeps
  extends Pick<PublicAppOptions, 'routes' | 'principals' | 'limiter' | 'prices'> {
  /** All documented operations; those of this process's role are exactly those of `routes`. */
  readonly endpoints: readonly PublicEndpoint[];
  /** Counts a request with an unknown key that was refused without a look-up. */
  readonly unknownKeyRefused: () => void;
  /** Counts a connection that was closed at once, by the limit that it exceeds. */
  readonly connectionRefused: (limit: 'peer' | 'total') => void;
}

/** Serves the routes of the public API with their document and its reference. */
export async function startPublicApi(
  { config, lifetime, clock, identifiers, logger }: ServiceContext<GatewayConfig>,
  deps: PublicApiDeps,
): Promise<HttpServer> {
  const { trustedProxies, v1DeprecatedAtMs, deadlines, unknownKeysPerMinute: perMinute } = config;
  const keys = {
    principals: deps.principals,
    unknownKeys: createUnknownKeys<Principal>({ perMinute, clock }),
    clientAddressOf: createClientAddressOf({ trustedProxies, logger }),
  };
  const app = createPublicApp({
    ...deps,
    ...keys,
    pages: pagesOf(config, deps),
    trustedProxies,
    v1DeprecatedAtMs,
    deadlines,
    clock,
    identifiers,
    logger,
  });
  const server = await startPublicServer({
    listener: refuseUnknownKeys(
      { ...deps, ...keys, v1DeprecatedAtMs, identifiers, delayMs: deadlines.unknownKeyDelayMs },
      app,
    ),
    identifiers,
    deadlines,
    ...config.publicHttp,
    connectionsMax: config.connectionsMax,
    peers: createPeerConnections({
      perPeerMax: config.connectionsPerPeerMax,
      trustedProxies,
      onRefused: () => deps.connectionRefused('peer'),
      logger,
    }),
  });
  server.server.on('drop', () => deps.connectionRefused('total'));
  lifetime.defer('public HTTP', () => server.close(config.limits.drainMs));
  return server;
}

/** The documents of the API are on its own origin. */
function pagesOf(
  { role, eventsOrigin, reference }: GatewayConfig,
  { endpoints, routes }: PublicApiDeps,
): PublicPages {
  requireDocumented(endpointsOf(endpoints, role), routes);
  if (role === 'events') return {};
  return { ...openApiPage(endpoints, eventsOrigin), ...referencePages(reference) };
}
