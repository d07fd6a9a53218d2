import { Refused } from '@inventory/http/refused';
import { type PublicMiddleware, required } from '../request-state.ts';
import type { ClientAddressOf } from './client-address.ts';
import type { PeerBuckets } from './peer-buckets.ts';

export interface LimitPeersDeps {
  /** Requests without a key, by client address. */
  readonly openRequests: Pick<PeerBuckets, 'take' | 'secondsUntilToken'>;
  readonly openRequestsPerMinute: number;
  readonly clientAddressOf: ClientAddressOf;
}

/** Limits the requests of an operation that asks for no key. */
export function limitPeers({
  openRequests,
  openRequestsPerMinute,
  clientAddressOf,
}: LimitPeersDeps): PublicMiddleware {
  return async (context, next) => {
    const { isOpen = false } = required(context.state, 'route');
    if (isOpen) {
      const address = clientAddressOf(context.req);
      if (!openRequests.take(address)) {
        throw new Refused({
          code: 'rate_limit_exceeded',
          detail: { limit: 'peer', limit_per_minute: openRequestsPerMinute },
          retry_after_seconds: openRequests.secondsUntilToken(address) ?? 1,
        });
      }
    }
    await next();
  };
}

/** A step of the operations that ask for a key. */
export function withKey(step: PublicMiddleware): PublicMiddleware {
  return async (context, next) => {
    const { isOpen = false } = required(context.state, 'route');
    return isOpen ? await next() : await step(context, next);
  };
}
