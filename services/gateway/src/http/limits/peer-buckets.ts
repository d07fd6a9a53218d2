import type { Clock } from '@inventory/runtime/clock';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';
import { limitFactors, peerNetworksOf } from '../../tenancy/network-policy.domain.ts';

const networksMax = 50_000;

export type PeerBuckets = ReturnType<typeof createPeerBuckets>;

/** Tokens of each client address; of IPv6 of its /64, and of its /48 for all of these together. */
export function createPeerBuckets(perMinute: number, clock: Clock) {
  const levels = limitFactors.map((factor) =>
    createTokenBuckets(factor * perMinute, networksMax, clock),
  );

  /** One for each level that the address has. */
  function ofEach<Value>(
    clientAddress: string,
    read: (buckets: (typeof levels)[number], network: string) => Value,
  ): Value[] {
    return peerNetworksOf(clientAddress).flatMap((network, level) => {
      const buckets = levels[level];
      return buckets ? [read(buckets, network)] : [];
    });
  }

  /** Seconds until the address has a token; null where it has one. */
  function secondsUntilToken(clientAddress: string): number | null {
    const seconds = ofEach(clientAddress, (buckets, network) => buckets.secondsUntilToken(network));
    const missing = seconds.filter((one) => one !== null);
    return missing.length === 0 ? null : Math.max(...missing);
  }

  return {
    perMinute,
    secondsUntilToken,
    /** Takes a token of each level; false where one of them has none. */
    take(clientAddress: string): boolean {
      if (secondsUntilToken(clientAddress) !== null) return false;
      return ofEach(clientAddress, (buckets, network) => buckets.take(network)).every(Boolean);
    },
    /** False where a token was taken and not refilled since. */
    isFull: (clientAddress: string): boolean =>
      ofEach(clientAddress, (buckets, network) => buckets.isFull(network)).every(Boolean),
  };
}
