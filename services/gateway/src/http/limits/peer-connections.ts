import type { PeerConnections } from '@inventory/http/http-server';
import type { Logger } from '@inventory/runtime/logger';
import {
  allowsAddress,
  limitFactors,
  type NetworkPolicy,
  peerNetworksOf,
} from '../../tenancy/network-policy.domain.ts';

/** Bounds the connections of each peer; of IPv6 of its /64 and /48. A trusted proxy bounds its own. */
export function createPeerConnections(deps: {
  readonly perPeerMax: number;
  readonly trustedProxies: NetworkPolicy;
  /** Counts one. */
  readonly onRefused: () => void;
  readonly logger: Logger;
}): PeerConnections {
  const { perPeerMax, trustedProxies, onRefused, logger } = deps;
  const held = new Map<string, number>();
  let isReported = false;

  const networksOf = (address: string) =>
    trustedProxies.length > 0 && allowsAddress([trustedProxies], address)
      ? []
      : peerNetworksOf(address);
  const heldBy = (network: string) => held.get(network) ?? 0;

  function refuse(peer: string): false {
    onRefused();
    if (!isReported) {
      isReported = true;
      logger.warn(
        { peer },
        'connections of a peer are refused; a proxy has to be in TRUSTED_PROXIES',
      );
    }
    return false;
  }

  return {
    add(address) {
      const networks = networksOf(address);
      const isFull = (network: string, level: number) =>
        heldBy(network) >= (limitFactors[level] ?? 1) * perPeerMax;
      if (networks.some(isFull)) return refuse(address);
      for (const network of networks) held.set(network, heldBy(network) + 1);
      return true;
    },
    remove(address) {
      for (const network of networksOf(address)) {
        const left = heldBy(network) - 1;
        if (left > 0) held.set(network, left);
        else held.delete(network);
      }
    },
  };
}
