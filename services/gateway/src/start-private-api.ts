import type { RequestListener } from 'node:http';
import { type HealthChecks, serveHealth } from '@inventory/http/health';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { createInternalApp } from '@inventory/http/internal-app';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import type { ServiceClients } from './open-clients.ts';
import { openOperatorApi } from './operator/open-operator-api.ts';
import type { Tenancy } from './tenancy/open-tenancy.ts';
import { readStandingRoute } from './tenancy/read-standing-route.ts';

interface PrivateApiDeps {
  readonly health: HealthChecks;
  readonly commands: RequestReplyClient;
  readonly clients: ServiceClients;
  readonly tenancy: Tenancy;
}

const drainMs = 5_000;

/** Serves the private port: health, the operator API, and the internal API. */
export async function startPrivateApi(
  context: ServiceContext<GatewayConfig>,
  { health, commands, clients, tenancy }: PrivateApiDeps,
): Promise<HttpServer> {
  const { config, lifetime, logger } = context;
  const operatorApi = openOperatorApi({
    ...clients,
    ...context,
    commands,
    tenancy,
    token: config.operatorToken,
    deadlines: config.deadlines,
  });
  const routes = [readStandingRoute.bind(tenancy)];
  const { serviceTokens } = config;
  const internalApi = createInternalApp({ routes, health, serviceTokens, logger });
  const listener = dispatchByPath(health, operatorApi, internalApi);
  const server = await startHttpServer({ listener, ...config.http });
  lifetime.defer('private HTTP', () => server.close(drainMs));
  return server;
}

/**
 * The operator API and the internal API require a token each. Health and metrics require none, so
 * that a prober needs no token with which it could operate.
 */
function dispatchByPath(
  health: HealthChecks,
  operatorApi: RequestListener,
  internalApi: RequestListener,
): RequestListener {
  return (request, response) => {
    if (request.url?.startsWith('/internal/')) {
      internalApi(request, response);
      return;
    }
    serveHealth(health, request, response).then(
      (served) => {
        if (!served) operatorApi(request, response);
      },
      () => response.writeHead(500).end(),
    );
  };
}
