import { environmentOf } from '@inventory/contracts/environment';
import type { AccountId } from '@inventory/contracts/ids';
import type { Refusal } from '@inventory/contracts/refusal';
import type { Clock } from '@inventory/runtime/clock';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';

const accountsMax = 10_000;

/**
 * Paces what a sandbox account may request on this replica: so many refreshes at once, and after that
 * as many spread over a minute. The limit of its requests admits all of a minute in a few seconds;
 * each refresh is work of every service, for which live customers would wait.
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
