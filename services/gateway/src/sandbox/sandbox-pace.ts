import { environmentOf } from '@inventory/contracts/environment';
import type { AccountId } from '@inventory/contracts/ids';
import type { Refusal } from '@inventory/contracts/refusal';
import type { Clock } from '@inventory/runtime/clock';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';

const accountsMax = 10_000;

/**
 * Limits the refreshes of a sandbox account on this replica: so many at once, and after that as many
 * spread over a minute. The limit of its requests admits all of a minute within seconds; each refresh
 * uses every service, which delays live customers.
 */
export function createSandboxPace(refreshesPerMinute: number, clock: Clock) {
  const buckets = createTokenBuckets(refreshesPerMinute, accountsMax, clock);
  /** Takes one refresh of the account; the refusal where there is none. */
  return (accountId: AccountId): Refusal | null => {
    if (environmentOf(accountId) === 'live' || buckets.take(accountId)) return null;
    return {
      code: 'outstanding_limit_exceeded',
      detail: { limit: 'account_share', outstanding_max: refreshesPerMinute },
      retry_after_seconds: buckets.secondsUntilToken(accountId) ?? 1,
    };
  };
}
