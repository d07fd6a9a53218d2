import { Refused } from '@inventory/http/refused';
import { type PublicMiddleware, required } from '../request-state.ts';
import type { ClientAddressOf } from './client-address.ts';
import type { PeerBuckets } from './peer-buckets.ts';

/** Limits the requests of an operation that requires no key. */
export function limitPeers(
  openRequests: PeerBuckets,
  clientAddressOf: ClientAddressOf,
): PublicMiddleware {
  return async (context, next) => {
    const { isOpen = false } = required(context.state, 'route');
    if (isOpen) {
      const address = clientAddressOf(context.req);
      if (!openRequests.take(address)) {
        throw new Refused({
          code: 'rate_limit_exceeded',
          detail: { limit: 'peer', limit_per_minute: openRequests.perMinute },
          retry_after_seconds: openRequests.secondsUntilToken(address) ?? 1,
        });
      }
    }
    await next();
  };
}

/** A step of the operations that require a key. */
export function withKey(step: PublicMiddleware): PublicMiddleware {
  return async (context, next) => {
    const { isOpen = false } = required(context.state, 'route');
    return isOpen ? await next() : await step(context, next);
  };
}
