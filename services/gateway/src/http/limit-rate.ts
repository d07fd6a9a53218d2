import type { RateLimit } from '@inventory/contracts/http/meta';
import { Refused } from '@inventory/http/refused';
import type { Principal } from '../tenancy/principal.domain.ts';
import type { RequestLimiter } from './limit-requests.ts';
import type { RateStanding } from './rate-window.domain.ts';
import { type PublicMiddleware, required } from './request-state.ts';

/** Counts the request against its account; every later response has the rate limit headers. */
export function limitRate(limiter: RequestLimiter): PublicMiddleware {
  return async (context, next) => {
    const { accountId, requestsPerMinute } = required(context.state, 'principal');
    const decision = await limiter.takeRequests(accountId, requestsPerMinute);
    const rateLimit = toWireRateLimit(decision);
    context.state.rateLimit = rateLimit;
    context.set(rateLimitHeaders(rateLimit));
    if (!decision.admitted) throw rateLimitExceeded(rateLimit);
    await next();
  };
}

/**
 * Counts the further requests of a batch, all or none, and returns the state after them. Refused
 * ones consume nothing.
 */
export async function takeFurtherRequests(
  limiter: RequestLimiter,
  { accountId, requestsPerMinute }: Pick<Principal, 'accountId' | 'requestsPerMinute'>,
  requests: number,
): Promise<RateLimit> {
  const decision = await limiter.takeRequests(accountId, requestsPerMinute, requests);
  const rateLimit = toWireRateLimit(decision);
  if (!decision.admitted) throw rateLimitExceeded(rateLimit, { required: requests });
  return rateLimit;
}

function rateLimitExceeded(rateLimit: RateLimit, more: { readonly required?: number } = {}) {
  return new Refused(
    {
      code: 'rate_limit_exceeded',
      detail: { ...rateLimit, ...more },
      retry_after_seconds: rateLimit.reset_seconds,
    },
    { headers: rateLimitHeaders(rateLimit) },
  );
}

function toWireRateLimit(standing: RateStanding): RateLimit {
  return {
    limit_per_minute: standing.limitPerMinute,
    remaining: standing.remaining,
    reset_seconds: standing.resetSeconds,
  };
}

/** As in draft-ietf-httpapi-ratelimit-headers; no partition key, which would name the account. */
export function rateLimitHeaders(rateLimit: RateLimit): Record<string, string> {
  return {
    'RateLimit-Policy': `"account";q=${rateLimit.limit_per_minute};w=60`,
    RateLimit: `"account";r=${rateLimit.remaining};t=${rateLimit.reset_seconds}`,
  };
}
