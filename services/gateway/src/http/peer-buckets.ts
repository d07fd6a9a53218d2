import type { Clock } from '@inventory/runtime/clock';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';
import { limitFactors, peerNetworksOf } from '../tenancy/network-policy.domain.ts';

export interface PeerBucketsOptions {
  readonly perMinute: number;
  readonly clock: Clock;
}

const networksMax = 50_000;

export type PeerBuckets = ReturnType<typeof createPeerBuckets>;

/** Tokens of each client address; of IPv6 of its /64, and of its /48 for all of these together. */
export function createPeerBuckets({ perMinute, clock }: PeerBucketsOptions) {
  const levels = limitFactors.map((factor) =>
    createTokenBuckets({ perMinute: factor * perMinute, keysMax: networksMax, clock }),
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

  /** Reserves a token; false where there is none. */
  function reserve(clientAddress: string): boolean {
    if (secondsUntilToken(clientAddress) !== null) return false;
    ofEach(clientAddress, (buckets, network) => buckets.reserve(network));
    return true;
  }

  /** Takes the token that was reserved, or returns it. */
  function settle(clientAddress: string, isTaken: boolean): void {
    ofEach(clientAddress, (buckets, network) => buckets.settle(network, isTaken));
  }

  return {
    secondsUntilToken,
    /** Takes a token; false where there is none. */
    take(clientAddress: string): boolean {
      const isReserved = reserve(clientAddress);
      if (isReserved) settle(clientAddress, true);
      return isReserved;
    },
    reserve,
    settle,
    /** False where a token was taken and not refilled since. */
    isFull: (clientAddress: string): boolean =>
      ofEach(clientAddress, (buckets, network) => buckets.isFull(network)).every(Boolean),
    /** Whether it is for the most part reserved tokens that are missing. */
    isUndecided: (clientAddress: string): boolean =>
      ofEach(clientAddress, (buckets, network) => buckets.isUndecided(network)).some(Boolean),
  };
}
