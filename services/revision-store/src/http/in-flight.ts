import { createSemaphore } from '@inventory/runtime/semaphore';
import type { Middleware } from 'koa';

/**
 * Serves at most so many requests at once; the others wait in their connections, where their
 * bodies are not read. A request counts until its answer has left or its connection is gone, so
 * that slow readers cannot fill the memory either.
 */
export function limitInFlight(inFlightMax: number): Middleware {
  const semaphore = createSemaphore(inFlightMax);
  return async (context, next) => {
    const release = await semaphore.acquire();
    if (context.res.destroyed) return release();
    context.res.once('close', release);
    await next();
  };
}
