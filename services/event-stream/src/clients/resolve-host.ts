import { Resolver } from 'node:dns/promises';

/** Every address that a name has now; rejects where it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** A name server that hangs holds up one request, not the threads that others resolve on. */
const timeoutMs = 3_000;
const tries = 2;

/** Asks the name servers of the machine, for both kinds of addresses. */
export function createHostResolver(): ResolveHost {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  return async (hostname) => {
    // No name server has to know this one (RFC 6761).
    if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1'];
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
