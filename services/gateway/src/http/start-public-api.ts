import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '@inventory/http/http-server';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { markFromOutside } from '@inventory/runtime/tracing';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { connectionsRefused } from '../metrics.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import { createPublicApp, type PublicAppOptions } from './app.ts';
import { commonHeaders, newRequestId } from './assign-request-id.ts';
import type { HttpConfig } from './http-config.ts';
import { createClientAddressOf } from './limits/client-address.ts';
import { createPeerBuckets } from './limits/peer-buckets.ts';
import { createPeerConnections } from './limits/peer-connections.ts';
import { createUnknownKeys } from './limits/unknown-keys.ts';
import { openApiPage, requireDocumented } from './openapi/openapi-page.ts';
import { endpointsOf, type PublicEndpoint } from './public-route.ts';
import { referencePages } from './reference/reference-pages.ts';
import { refuseUnknownKeys } from './refuse-unknown-keys.ts';
import { errorText } from './render-errors.ts';
import type { PublicPages } from './serve-pages.ts';
import { statusPages } from './status-page/status-pages.ts';

export interface PublicApiDeps
  extends Pick<PublicAppOptions, 'routes' | 'principals' | 'limiter' | 'undelivered' | 'prices'> {
  /** All documented operations; those of this process's role are exactly those of `routes`. */
  readonly endpoints: readonly PublicEndpoint[];
}

/** Serves the routes of the public API with their document and its reference. */
export async function startPublicApi(
  { config, lifetime, clock, identifiers, logger }: ServiceContext<ServiceConfig & HttpConfig>,
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
    openRequests: createPeerBuckets({ perMinute: config.openRequestsPerMinute, clock }),
    openRequestsPerMinute: config.openRequestsPerMinute,
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
      {
        ...keys,
        v1DeprecatedAtMs,
        delayMs: deadlines.unknownKeyDelayMs,
        deadlines,
        identifiers,
      },
      app,
    ),
    identifiers,
    deadlines,
    ...config.publicHttp,
    connectionsMax: config.connectionsMax,
    peers: createPeerConnections({
      perPeerMax: config.connectionsPerPeerMax,
      trustedProxies,
      onRefused: () => connectionsRefused.add(1, { limit: 'peer' }),
      logger,
    }),
  });
  server.server.on('drop', () => connectionsRefused.add(1, { limit: 'total' }));
  lifetime.defer('public HTTP', () => server.close(config.drainMs));
  return server;
}

/** The documents of the API are on its own origin. */
function pagesOf(
  { role, eventsOrigin, reference }: HttpConfig,
  { endpoints, routes }: PublicApiDeps,
): PublicPages {
  requireDocumented(endpointsOf(endpoints, role), routes);
  if (role === 'events') return {};
  return {
    ...openApiPage(endpoints, eventsOrigin),
    ...referencePages(reference),
    ...statusPages(),
  };
}

interface PublicServerOptions extends HttpServerOptions {
  readonly identifiers: Identifiers;
  readonly deadlines: { readonly silenceMs: number };
}

/** Serves the public API; bytes that are no request get an error code too. */
export async function startPublicServer(options: PublicServerOptions): Promise<HttpServer> {
  const { identifiers, deadlines } = options;
  const started = await startHttpServer({
    ...options,
    renderRefusal(refusal) {
      const requestId = newRequestId(identifiers);
      return {
        headers: { ...commonHeaders, 'X-Request-ID': requestId },
        body: errorText(refusal, { request_id: requestId }),
      };
    },
  });
  const { server } = started;
  server.on('connection', markFromOutside);
  server.setTimeout(deadlines.silenceMs);
  // An unknown `Expect` does not prevent a response.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return started;
}
