import { acceptedType } from '@inventory/http/media-type';
import { Refused } from '@inventory/http/refused';
import { type PublicMiddleware, required } from './request-state.ts';

/** Refuses a request that accepts no media type of the route, before anything is done. */
export function negotiateType(): PublicMiddleware {
  return async (context, next) => {
    const { types = ['application/json'] } = required(context.state, 'route');
    const accepted = acceptedType(context, types);
    if (accepted === false) throw new Refused({ code: 'not_acceptable' });
    context.state.type = accepted;
    if (types.length > 1) context.vary('Accept');
    await next();
  };
}
