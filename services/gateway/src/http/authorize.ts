import { Refused } from '@inventory/http/refused';
import { allowsAddress } from '../tenancy/network-policy.domain.ts';
import { mayUse, type Principal } from '../tenancy/principal.domain.ts';
import { type PublicMiddleware, required } from './request-state.ts';

/** The client must be in every network policy of its Principal. */
export function checkNetwork(): PublicMiddleware {
  return async (context, next) => {
    const { networkPolicies } = required(context.state, 'principal');
    if (!allowsAddress(networkPolicies, required(context.state, 'clientAddress'))) {
      throw new Refused({ code: 'permission_denied', detail: { reason: 'network_policy' } });
    }
    await next();
  };
}

export function requirePermission(): PublicMiddleware {
  return async (context, next) => {
    const { permission } = required(context.state, 'route');
    if (permission !== undefined && !mayUse(required(context.state, 'principal'), permission)) {
      throw new Refused({ code: 'permission_denied', detail: { permission } });
    }
    await next();
  };
}

export function requireEvents({ eventsEnabled }: Principal): void {
  if (!eventsEnabled) {
    throw new Refused({ code: 'permission_denied', detail: { reason: 'events_not_enabled' } });
  }
}
