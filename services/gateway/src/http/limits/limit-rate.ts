import { type RequestsLeft, rateLimit, type TrafficLimit } from '@inventory/contracts/http/meta';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import type { Principal } from '../../tenancy/principal.domain.ts';
import { isRateLimitedId } from '../own-inventory.ts';
import type { AdmittedRequest } from '../public-response.ts';
import { type PublicContext, type PublicMiddleware, required } from '../request-state.ts';
import type { TrafficLimiter } from './limit-traffic.ts';

/**
 * Counts the request against its limits; every later response has the rate limit headers. Beside the
 * count an operation may begin what has no effect without it (`countedBeside`), unless the limit is
 * known to be reached. What is refused for the rate is refused for nothing else.
 */
export function limitRate(limiter: TrafficLimiter): PublicMiddleware {
  return async (context, next) => {
    const { state } = context;
    const principal = required(state, 'principal');
    const isBeside = required(state, 'route').countedBeside && !limiter.isKnownFull(principal);
    const counted = countRequest(limiter, context, principal);
    state.counted = counted;
    if (!isBeside) {
      await counted;
      return await next();
    }
    const responded = next();
    // What was begun ends by itself where the count fails: the response does not wait for it.
    responded.catch(() => {});
    await counted;
    await responded;
  };
}

async function countRequest(
  limiter: TrafficLimiter,
  context: PublicContext,
  principal: Principal,
): Promise<void> {
  const decision = await limiter.takeRequests(principal);
  context.state.rateLimit = decision;
  context.set(rateLimitHeaders(decision, decision.limit));
  if (!decision.admitted) throw rateLimitExceeded(decision);
  const { platform_id: id } = required(context.state, 'pathValues');
  if (isRateLimitedId(principal.environment, id))
    throw rateLimitExceeded({ ...decision, remaining: 0 });
}

/**
 * Counts the items of a batch, all or none: its arrival has counted one already. Returns the state
 * after them; refused ones consume nothing.
 */
export async function takeBatch(
  limiter: TrafficLimiter,
  { principal, environment, rateLimit: arrived }: AdmittedRequest,
  items: readonly unknown[],
): Promise<RequestsLeft> {
  const isLimited = items.some((item) => isRateLimitedId(environment, Object(item).platform_id));
  if (isLimited) throw rateLimitExceeded({ ...arrived, remaining: 0 }, { required: items.length });
  const further = items.length - 1;
  if (further === 0) return arrived;
  const decision = await limiter.takeRequests(principal, further);
  if (!decision.admitted) throw rateLimitExceeded(decision, { required: further });
  return decision;
}

function rateLimitExceeded(
  left: RequestsLeft & { readonly limit?: TrafficLimit },
  more: { readonly required?: number } = {},
) {
  const { limit = 'service_account', resetSeconds } = left;
  return new Refused(
    {
      code: 'rate_limit_exceeded',
      detail: { limit, ...z.encode(rateLimit, left), ...more },
      retry_after_seconds: resetSeconds,
    },
    { headers: rateLimitHeaders(left, limit) },
  );
}

/** As in draft-ietf-httpapi-ratelimit-headers; no partition key, which would name the account. */
export function rateLimitHeaders(
  { limitPerMinute, remaining, resetSeconds }: RequestsLeft,
  limit: TrafficLimit = 'service_account',
): Record<string, string> {
  return {
    'RateLimit-Policy': `"${limit}";q=${limitPerMinute};w=60`,
    RateLimit: `"${limit}";r=${remaining};t=${resetSeconds}`,
  };
}
