import { refuse } from './refusal.ts';
import type { PublicMiddleware } from './request-state.ts';

/** Everything here is JSON; who accepts none of it is told so before anything is done. */
export function negotiateType(): PublicMiddleware {
  return async (context, next) => {
    if (!context.accepts('application/json')) throw refuse('not_acceptable');
    await next();
  };
}
