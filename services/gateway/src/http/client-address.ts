import type { IncomingMessage } from 'node:http';
import { allowsAddress, type NetworkPolicy } from '../tenancy/network-policy.domain.ts';

/**
 * The address that network policies apply to: the peer of the socket or, while that is a trusted
 * proxy, the address that the proxy reports. An entry that cannot be parsed is no trusted proxy, so
 * it ends the search and matches no policy.
 */
export function clientAddressOf(request: IncomingMessage, trustedProxies: NetworkPolicy): string {
  let address = request.socket.remoteAddress ?? '';
  const forwarded = request.headersDistinct['x-forwarded-for']?.join(',').split(',') ?? [];
  while (trustedProxies.length > 0 && allowsAddress([trustedProxies], address)) {
    const previous = forwarded.pop();
    if (previous === undefined) return address;
    address = previous.trim();
  }
  return address;
}
