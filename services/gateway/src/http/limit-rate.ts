import type { RateLimit } from '@inventory/contracts/http/meta';
import type { RateStanding } from '../domain/rate-window.ts';
import type { RequestLimiter } from '../operations/limit-requests.ts';
import { refuseForNow } from './refusal.ts';
import { type PublicMiddleware, required } from './request-state.ts';

/** Counts the request against its account, and says so in every answer from here on. */
export function limitRate(limiter: RequestLimiter): PublicMiddleware {
  return async (context, next) => {
    const { accountId, requestsPerMinute } = required(context.state, 'authority');
    const decision = await limiter.take(accountId, requestsPerMinute);
    const rateLimit = toWireRateLimit(decision);
    context.state.rateLimit = rateLimit;
    context.set(rateLimitHeaders(rateLimit));
    if (!decision.admitted) {
      const { reset_seconds } = rateLimit;
      throw refuseForNow('rate_limit_exceeded', reset_seconds, { detail: { ...rateLimit } });
    }
    await next();
  };
}

function toWireRateLimit(standing: RateStanding): RateLimit {
  return {
    limit_per_minute: standing.limitPerMinute,
    remaining: standing.remaining,
    reset_seconds: standing.resetSeconds,
  };
}

/** As in draft-ietf-httpapi-ratelimit-headers; no partition key, which would name the account. */
function rateLimitHeaders(rateLimit: RateLimit): Record<string, string> {
  return {
    'RateLimit-Policy': `"account";q=${rateLimit.limit_per_minute};w=60`,
    RateLimit: `"account";r=${rateLimit.remaining};t=${rateLimit.reset_seconds}`,
  };
}
