import type { HealthChecks } from '@inventory/http/health';
import { startHttpServer } from '@inventory/http/http-server';
import { createInternalApp } from '@inventory/http/internal-app';
import type { BoundInternalRoute } from '@inventory/http/internal-route';
import type { ServiceContext, StartedService } from './service-context.ts';

const drainMs = 10_000;

/** Serves health, metrics and the service's internal routes until the lifetime ends. */
export async function serveInternal(
  context: ServiceContext,
  routes: readonly BoundInternalRoute[],
  health: HealthChecks,
): Promise<StartedService> {
  const { config, lifetime, logger } = context;
  const listener = createInternalApp({
    routes,
    health,
    callers: config.serviceCallers,
    logger,
  });
  const server = await startHttpServer({ listener, ...config.http });
  lifetime.defer('internal HTTP', () => server.close(drainMs));
  return { url: server.url };
}
