import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createPeerBuckets } from '../../src/http/limits/peer-buckets.ts';
import { rateStateAt } from '../../src/http/limits/rate-window.domain.ts';
import { createUnknownKeys } from '../../src/http/limits/unknown-keys.ts';
import type { PublicFrame } from '../../src/http/public-frame.ts';
import { boundlessSlots } from './boundless-slots.ts';

/** A frame that knows no key, and whose limits are far. */
export function newFrame(given: Partial<PublicFrame> = {}): PublicFrame {
  const clock = createTestClock();
  return {
    trustedProxies: [],
    clientAddressOf: () => '192.0.2.1',
    principals: only({
      findPrincipal: async () => null,
      readPrincipal: async () => null,
      isUnseen: () => false,
      digestOf: (secret) => secret,
    }),
    unknownKeys: createUnknownKeys(createPeerBuckets(1, clock)),
    openRequests: createPeerBuckets(1_000_000, clock),
    limiter: {
      isKnownFull: () => false,
      takeRequests: async () => ({
        ...rateStateAt(1, 1_000, 0),
        admitted: true,
        limit: 'service_account',
      }),
    },
    undelivered: boundlessSlots(clock),
    prices: { currentVersion: () => 1 },
    beforeRequest: async () => {},
    v1DeprecatedAtMs: 0,
    deadlines: { findMs: 600_000, unknownKeyDelayMs: 0 },
    clock,
    identifiers: systemIdentifiers,
    logger: testLogger,
    ...given,
  };
}
