import type { TrafficLimit } from '@inventory/contracts/http/meta';
import { type Principal, trafficLimitOf } from '../../tenancy/principal.domain.ts';
import type { RateDecision, RequestLimiter } from './limit-requests.ts';

export interface TrafficDecision extends RateDecision {
  /** Whose limit refused; when admitted, whose state is reported. */
  readonly limit: TrafficLimit;
}

export type TrafficLimiter = ReturnType<typeof createTrafficLimiter>;

/**
 * Counts requests against the limits of their Service account and their customer account.
 *
 * What the customer account refuses is returned to the Service account: refused requests consume
 * nothing. A crash in between leaves them counted until the end of the minute. A customer account
 * whose one Service account cannot exceed its limit is not counted: it costs no second write.
 */
export function createTrafficLimiter({
  limiter,
  customerRequestsPerMinute,
}: {
  readonly limiter: RequestLimiter;
  /** Requests per minute of a customer account for which none are set. */
  readonly customerRequestsPerMinute: number;
}) {
  /** The limit of the customer account, and whether its requests are counted. */
  function customerLimit(principal: Principal) {
    const { requestsPerMinute, hasServiceAccounts } = principal;
    const ofCustomer = trafficLimitOf(principal, customerRequestsPerMinute);
    return { ofCustomer, isCounted: hasServiceAccounts || ofCustomer < requestsPerMinute };
  }

  return {
    /** Whether a limit is reached, as far as this replica knows. */
    isKnownFull(principal: Principal): boolean {
      const { accountId, serviceAccountId, requestsPerMinute } = principal;
      const { ofCustomer, isCounted } = customerLimit(principal);
      return (
        limiter.isKnownFull(serviceAccountId, requestsPerMinute) ||
        (isCounted && limiter.isKnownFull(accountId, ofCustomer))
      );
    },
    /** Takes this number of requests, all or none. Rejects when the store is unavailable. */
    async takeRequests(principal: Principal, requests = 1): Promise<TrafficDecision> {
      const { accountId, serviceAccountId, requestsPerMinute } = principal;
      const { ofCustomer, isCounted } = customerLimit(principal);
      const own = await limiter.takeRequests(
        serviceAccountId,
        requestsPerMinute,
        requests,
        isCounted,
      );
      if (!own.admitted || !isCounted) return { ...own, limit: 'service_account' };
      const customer = await limiter.takeRequests(accountId, ofCustomer, requests);
      if (customer.admitted) return { ...own, limit: 'service_account' };
      await limiter.takeRequests(serviceAccountId, requestsPerMinute, -requests);
      return { ...customer, limit: 'customer' };
    },
  };
}
