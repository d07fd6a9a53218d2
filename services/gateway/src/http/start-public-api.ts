import type { HttpServer } from '@inventory/http/http-server';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from '../config.ts';
import { createPublicApp, type PublicAppOptions } from './app.ts';
import { openApiPage, requireDocumented } from './openapi/openapi-page.ts';
import { endpointsOf, type PublicEndpoint } from './public-route.ts';
import { startPublicServer } from './public-server.ts';
import { referencePages } from './reference/reference-pages.ts';
import type { PublicPages } from './serve-pages.ts';

export interface PublicApiDeps
  extends Pick<PublicAppOptions, 'routes' | 'principals' | 'limiter' | 'prices'> {
  /** All documented operations; those of this process's role are exactly those of `routes`. */
  readonly endpoints: readonly PublicEndpoint[];
}

/** Serves the routes of the public API with their document and its reference. */
export async function startPublicApi(
  { config, lifetime, clock, identifiers, logger }: ServiceContext<GatewayConfig>,
  deps: PublicApiDeps,
): Promise<HttpServer> {
  const { trustedProxies, v1DeprecatedAtMs, deadlines } = config;
  const listener = createPublicApp({
    ...deps,
    pages: pagesOf(config, deps),
    trustedProxies,
    v1DeprecatedAtMs,
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
