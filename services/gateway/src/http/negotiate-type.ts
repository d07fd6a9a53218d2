import { Refused } from '@inventory/http/refused';
import { type PublicMiddleware, required } from './request-state.ts';

/** Refuses a request that accepts no media type of the route, before anything is done. */
export function negotiateType(): PublicMiddleware {
  return async (context, next) => {
    const { types = ['application/json'] } = required(context.state, 'route');
    const accepted = context.accepts(...types);
    if (accepted === false) throw new Refused({ code: 'not_acceptable' });
    context.state.type = String(accepted);
    if (types.length > 1) context.vary('Accept');
    await next();
  };
}
