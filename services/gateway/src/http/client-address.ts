import type { IncomingMessage } from 'node:http';
import { allowsAddress, type NetworkPolicy } from './network-policy.domain.ts';

/**
 * The address a network policy is applied to: the socket's peer, or, as long as the address is
 * one of our own proxies, what that proxy says of who connected to it. An entry that cannot be
 * read is nobody's proxy, so it ends the walk and is in no policy's networks.
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
