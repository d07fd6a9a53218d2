import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { markFromOutside } from '@inventory/runtime/tracing';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { connectionsRefused } from '../metrics.ts';
import { createPublicApp } from './app.ts';
import { consolePages } from './console/console-pages.ts';
import type { HttpConfig } from './http-config.ts';
import { createClientAddressOf } from './limits/client-address.ts';
import { createPeerBuckets } from './limits/peer-buckets.ts';
import { createPeerConnections } from './limits/peer-connections.ts';
import { createUnknownKeys } from './limits/unknown-keys.ts';
import { openApiPage } from './openapi/openapi-page.ts';
import type { PublicFrame, SharedFrame } from './public-frame.ts';
import type { BoundPublicRoute, PublicEndpoint } from './public-route.ts';
import { llmsPage } from './reference/llms-page.ts';
import { referencePages } from './reference/reference-pages.ts';
import { renderUnreadable } from './render-errors.ts';
import { statusPages } from './status-page/status-pages.ts';

type Context = ServiceContext<ServiceConfig & HttpConfig>;

/** Serves the routes of the public API, and the pages of its document, its reference, its status and the console. */
export async function startPublicApi(
  context: Context,
  shared: SharedFrame,
  routes: readonly BoundPublicRoute[],
  documented: readonly PublicEndpoint[],
): Promise<HttpServer> {
  const { config, lifetime, identifiers, logger } = context;
  const { role, eventsOrigin, trustedProxies, reference } = config;
  const page = config.console;
  // The documents of the API are on its own origin.
  const pages =
    role === 'events'
      ? {}
      : {
          ...openApiPage(documented, eventsOrigin),
          ...llmsPage({ endpoints: documented, eventsOrigin, hasReference: reference.isServed }),
          ...(reference.isServed && referencePages(reference.canTry, page.isServed)),
          ...statusPages(),
          ...(page.isServed && consolePages(page.picturesUrl, eventsOrigin, reference.isServed)),
        };
  const started = await startHttpServer({
    listener: createPublicApp(frameOf(context, shared), routes, pages),
    ...config.publicHttp,
    connectionsMax: config.connectionsMax,
    peers: createPeerConnections({
      perPeerMax: config.connectionsPerPeerMax,
      trustedProxies,
      onRefused: () => connectionsRefused.add(1, { limit: 'peer' }),
      logger,
    }),
    renderRefusal: renderUnreadable(identifiers),
  });
  const { server } = started;
  server.on('connection', markFromOutside);
  // An unknown `Expect` does not prevent a response.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.setTimeout(config.deadlines.silenceMs);
  server.on('drop', () => connectionsRefused.add(1, { limit: 'total' }));
  lifetime.defer('public HTTP', () => started.close(config.drainMs));
  return started;
}

function frameOf(
  { config, clock, identifiers, logger }: Context,
  shared: SharedFrame,
): PublicFrame {
  const { trustedProxies, v1DeprecatedAtMs, deadlines } = config;
  return {
    ...shared,
    trustedProxies,
    clientAddressOf: createClientAddressOf({ trustedProxies, logger }),
    unknownKeys: createUnknownKeys(createPeerBuckets(config.unknownKeysPerMinute, clock)),
    openRequests: createPeerBuckets(config.openRequestsPerMinute, clock),
    v1DeprecatedAtMs,
    deadlines,
    clock,
    identifiers,
    logger,
  };
}
