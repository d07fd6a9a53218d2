import type { Middleware } from 'koa';

/**
 * Serves at most so many requests at once; the others wait in their connections, where their
 * bodies are not read. A request counts until its answer has left or its connection is gone, so
 * that slow readers cannot fill the memory either.
 */
export function limitInFlight(inFlightMax: number): Middleware {
  const waiting: (() => void)[] = [];
  let inFlight = 0;

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else inFlight -= 1;
  }

  return async (context, next) => {
    if (inFlight < inFlightMax) inFlight += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    if (context.res.destroyed) return leave();
    context.res.once('close', leave);
    await next();
  };
}
