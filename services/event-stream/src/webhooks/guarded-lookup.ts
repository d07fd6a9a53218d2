import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressRules, isLocalName, isPublicAddress } from './webhook-address.domain.ts';

/** A name resolves to an address that requests must not be sent to. */
export class AddressRefused extends Error {
  override name = 'AddressRefused';
}

/** A name does not resolve. */
export class NameUnresolved extends Error {
  override name = 'NameUnresolved';
}

/**
 * Resolves a name for one connection and refuses it when any of its addresses is not public. The
 * connection uses the addresses that were checked; the name is not resolved a second time.
 */
export function createGuardedLookup(resolve: HostResolver, rules: AddressRules): LookupFunction {
  async function addressesOf(hostname: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(hostname).catch((cause: unknown) => {
      throw new NameUnresolved('the name does not resolve', { cause });
    });
    if (addresses.length === 0) throw new NameUnresolved('the name has no address');
    if (!rules.allowPrivate && !addresses.every(isPublicAddress)) {
      throw new AddressRefused('the name resolves to an address that is not public');
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }

  // For `autoSelectFamily`, which tries all of them.
  return (hostname, _options, callback) => {
    addressesOf(hostname).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    );
  };
}

/** A name server that hangs delays one request, not the thread pool. */
const timeoutMs = 3_000;
const tries = 2;

export type HostResolver = ReturnType<typeof createHostResolver>;

/**
 * Queries the name servers of the machine for the current IPv4 and IPv6 addresses of a name; rejects
 * when there are none.
 */
export function createHostResolver() {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  return async (hostname: string): Promise<readonly string[]> => {
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
