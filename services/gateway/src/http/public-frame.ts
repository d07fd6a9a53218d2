import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { NetworkPolicy } from '../tenancy/network-policy.domain.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import type { PrincipalCache } from '../tenancy/principal-cache.ts';
import type { DeliverySlots } from './delivery/delivery-slots.ts';
import type { ClientAddressOf } from './limits/client-address.ts';
import type { TrafficLimiter } from './limits/limit-traffic.ts';
import type { PeerBuckets } from './limits/peer-buckets.ts';
import type { UnknownKeys } from './limits/unknown-keys.ts';

/** What the frame of every public request shares with the features. */
export interface SharedFrame {
  readonly principals: PrincipalCache;
  readonly limiter: TrafficLimiter;
  /** Bytes of responses that their clients have not taken, by account. */
  readonly undelivered: DeliverySlots<AccountId>;
  readonly prices: { currentVersion(): number | null };
  /** Runs before each request of a Principal. Never rejects. */
  readonly beforeRequest: (principal: Principal) => Promise<void>;
}

/** What every public request is checked and rendered with. */
export interface PublicFrame extends SharedFrame {
  readonly trustedProxies: NetworkPolicy;
  readonly clientAddressOf: ClientAddressOf;
  readonly unknownKeys: UnknownKeys<Principal>;
  /** Requests without a key, by client address. */
  readonly openRequests: PeerBuckets;
  readonly v1DeprecatedAtMs: number;
  readonly deadlines: { readonly findMs: number; readonly unknownKeyDelayMs: number };
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}
