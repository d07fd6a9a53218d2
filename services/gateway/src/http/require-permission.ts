import { Refused } from '@inventory/http/refused';
import { mayUse } from '../tenancy/principal.domain.ts';
import { type PublicMiddleware, required } from './request-state.ts';

export function requirePermission(): PublicMiddleware {
  return async (context, next) => {
    const { permission } = required(context.state, 'route');
    if (permission !== undefined && !mayUse(required(context.state, 'principal'), permission)) {
      throw new Refused({ code: 'permission_denied', detail: { permission } });
    }
    await next();
  };
}
