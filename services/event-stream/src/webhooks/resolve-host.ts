import { Resolver } from 'node:dns/promises';
import { isLocalName } from './webhook-address.domain.ts';

/** The current addresses of a name; rejects when there are none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** A name server that hangs delays one request, not the thread pool. */
const timeoutMs = 3_000;
const tries = 2;

/** Queries the name servers of the machine for IPv4 and IPv6 addresses. */
export function createHostResolver(): ResolveHost {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  return async (hostname) => {
    // Name servers need not resolve it.
    if (isLocalName(hostname)) return ['127.0.0.1', '::1'];
    const kinds = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = kinds.flatMap((kind) => (kind.status === 'fulfilled' ? kind.value : []));
    const [failed] = kinds.filter((kind) => kind.status === 'rejected');
    if (addresses.length === 0) throw failed?.reason ?? new Error('the name has no address');
    return addresses;
  };
}
