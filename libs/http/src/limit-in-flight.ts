import { createSemaphore, type Semaphore } from '@inventory/runtime/semaphore';
import type { Middleware } from 'koa';
import type { MatchState } from './match-route.ts';
import type { Endpoint } from './route.ts';

export interface BoundedEndpoint extends Endpoint {
  /** Requests of the route that are served at once; unlimited when absent. */
  readonly inFlightMax?: number;
}

/**
 * Serves at most `inFlightMax` requests of a route at once; the others wait in their connections
 * with their bodies unread, until those are closed. A request counts until its response is sent or
 * its connection is closed, so that slow readers do not fill the memory either.
 */
export function limitInFlight(
  routes: readonly BoundedEndpoint[],
): Middleware<MatchState<BoundedEndpoint>> {
  const semaphores = new Map<BoundedEndpoint, Semaphore>();
  for (const route of routes) {
    if (route.inFlightMax !== undefined) semaphores.set(route, createSemaphore(route.inFlightMax));
  }
  return async (context, next) => {
    const semaphore = context.state.route && semaphores.get(context.state.route);
    if (semaphore) {
      if (context.res.destroyed) return;
      const closed = new AbortController();
      context.res.once('close', () => closed.abort());
      const release = await semaphore.acquire(closed.signal).catch(() => null);
      if (release === null) return;
      if (closed.signal.aborted) return release();
      context.res.once('close', release);
    }
    await next();
  };
}
