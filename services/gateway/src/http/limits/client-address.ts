import type { IncomingMessage } from 'node:http';
import type { Logger } from '@inventory/runtime/logger';
import {
  allowsAddress,
  isAddress,
  type NetworkPolicy,
} from '../../tenancy/network-policy.domain.ts';

/**
 * The address that network policies apply to: the peer of the socket or, while that is a trusted
 * proxy, the address that the proxy reports. An entry that cannot be parsed is no trusted proxy, so
 * it ends the search and matches no policy.
 */
export type ClientAddressOf = (request: IncomingMessage) => string;

const reportedMax = 100;
const entryCharactersMax = 60;

export function createClientAddressOf({
  trustedProxies,
  logger,
}: {
  readonly trustedProxies: NetworkPolicy;
  readonly logger: Logger;
}): ClientAddressOf {
  /** Proxies whose entry could not be parsed: a wrong configuration shows in every request. */
  const reported = new Set<string>();

  function report(proxy: string, entry: string): void {
    if (reported.has(proxy) || reported.size >= reportedMax) return;
    reported.add(proxy);
    const shown = entry.slice(0, entryCharactersMax);
    logger.warn({ proxy, entry: shown }, 'X-Forwarded-For of a trusted proxy has no address');
  }

  return (request) => {
    let address = request.socket.remoteAddress ?? '';
    const forwarded = request.headersDistinct['x-forwarded-for']?.join(',').split(',') ?? [];
    while (trustedProxies.length > 0 && allowsAddress([trustedProxies], address)) {
      const entry = forwarded.pop();
      if (entry === undefined) return address;
      const previous = addressIn(entry);
      if (!isAddress(previous)) report(address, entry);
      address = previous;
    }
    return address;
  };
}

/** As load balancers write an address beside a bare one: with a port, an IPv6 one in brackets. */
const decorated = /^(?:\[([^[\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/;

function addressIn(entry: string): string {
  const bare = entry.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed, dotted] = decorated.exec(bare) ?? [];
  return bracketed ?? dotted ?? bare;
}
