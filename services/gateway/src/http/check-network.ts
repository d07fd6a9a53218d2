import { Refused } from '@inventory/http/refused';
import { allowsAddress } from '../tenancy/network-policy.domain.ts';
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
