import type { AdmissionReason } from '@inventory/contracts/vocabulary';
import type { Clock } from '@inventory/runtime/clock';
import { type AdmissionLatch, closedReason, latchAfterCount } from '../domain/admission.ts';
import type { Refusal } from '../domain/refresh.ts';
import type { AdmissionStore } from '../storage/admission-store.ts';
import type { AdmissionGate, RefreshRequest } from './admit-refresh.ts';

export interface AdmissionRules {
  readonly outstandingMax: number;
  readonly outstandingPerAccountMax: number;
  /** How long a count of one account is trusted. */
  readonly accountCountMs: number;
}

export interface AdmissionWatch extends AdmissionGate {
  /** Counts, sets the shared latch and takes what an operator decided; repeated every second. */
  round(): Promise<void>;
  readonly latch: AdmissionLatch;
}

const retryAfter: Readonly<Record<AdmissionReason, number>> = {
  global_outstanding_closed: 10,
  platform_unavailable: 60,
  operator_closed: 60,
};
const accountRetryAfterSeconds = 5;
const accountsCountedMax = 10_000;

/**
 * Outstanding refreshes are counted by index and never kept as a counter; between two counts this
 * replica adds what it admitted itself, so that a burst within one count does not pass the limits.
 */
export function watchAdmission(
  store: AdmissionStore,
  isAppBreakerOpen: (appId: number) => boolean,
  rules: AdmissionRules,
  clock: Clock,
): AdmissionWatch {
  let latch: AdmissionLatch = { operatorClosed: false, countClosed: false, outstanding: 0 };
  const accounts = new Map<string, { outstanding: number; countedMs: number }>();

  function reconsider(outstanding: number): void {
    latch = latchAfterCount(latch, outstanding, rules.outstandingMax);
  }

  async function countOf(accountId: string): Promise<{ outstanding: number }> {
    const known = accounts.get(accountId);
    if (known && clock.now() - known.countedMs < rules.accountCountMs) return known;
    const outstanding = await store.countOutstandingOf(accountId);
    if (accounts.size >= accountsCountedMax) accounts.clear();
    const counted = { outstanding, countedMs: clock.now() };
    accounts.set(accountId, counted);
    return counted;
  }

  return {
    get latch() {
      return latch;
    },
    async round() {
      const [stored, outstanding] = await Promise.all([store.read(), store.countOutstanding()]);
      latch = stored;
      reconsider(outstanding);
      if (latch.countClosed !== stored.countClosed || latch.outstanding !== stored.outstanding) {
        await store.saveCount(latch);
      }
    },
    async refusalFor(request: RefreshRequest): Promise<Refusal | null> {
      const reason = closedReason(latch, isAppBreakerOpen(request.scope.app_id));
      if (reason) {
        return { code: 'product_unavailable', reason, retryAfterSeconds: retryAfter[reason] };
      }
      const limit = rules.outstandingPerAccountMax;
      const account = await countOf(request.accountId);
      if (account.outstanding >= limit) {
        const retryAfterSeconds = accountRetryAfterSeconds;
        return { code: 'outstanding_limit_exceeded', limit, retryAfterSeconds };
      }
      account.outstanding += 1;
      reconsider(latch.outstanding + 1);
      return null;
    },
  };
}
