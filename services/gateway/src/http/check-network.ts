import { Refused } from '@inventory/http/refused';
import { allowsAddress, type NetworkPolicy } from '../tenancy/network-policy.domain.ts';
import { clientAddressOf } from './client-address.ts';
import { type PublicMiddleware, required } from './request-state.ts';

/** The client must be in every network policy of its Principal. */
export function checkNetwork(trustedProxies: NetworkPolicy): PublicMiddleware {
  return async (context, next) => {
    const { networkPolicies } = required(context.state, 'principal');
    const clientAddress = clientAddressOf(context.req, trustedProxies);
    context.state.clientAddress = clientAddress;
    if (!allowsAddress(networkPolicies, clientAddress)) {
      throw new Refused({ code: 'permission_denied', detail: { reason: 'network_policy' } });
    }
    await next();
  };
}
