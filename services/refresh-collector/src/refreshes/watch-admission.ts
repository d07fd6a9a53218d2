import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { AdmissionReason } from '@inventory/contracts/vocabulary';
import type { Clock } from '@inventory/runtime/clock';
import type { NoCapacity, PublishedPlan } from '../scans/published-plan.domain.ts';
import { type AdmissionLatch, closedReason, latchAfterCount } from './admission.domain.ts';
import type { AdmissionStore } from './admission-store.ts';
import type { AdmissionGate, RefreshRequest } from './admit-refresh.ts';
import { watchCapacity } from './watch-capacity.ts';

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
  plan: () => PublishedPlan,
  rules: AdmissionRules,
  clock: Clock,
): AdmissionWatch {
  let latch: AdmissionLatch = { operatorClosed: false, countClosed: false, outstanding: 0 };
  let admittedSince = 0;
  const accounts = new Map<string, { outstanding: number; countedMs: number }>();
  const room = watchCapacity(plan, clock);

  async function countOf(accountId: string): Promise<{ outstanding: number }> {
    const known = accounts.get(accountId);
    if (known && clock.now() - known.countedMs < rules.accountCountMs) return known;
    const counted = {
      outstanding: await store.countOutstandingOf(accountId),
      countedMs: clock.now(),
    };
    const meanwhile = accounts.get(accountId);
    if (meanwhile && meanwhile !== known) return meanwhile;
    if (accounts.size >= accountsCountedMax) accounts.clear();
    accounts.set(accountId, counted);
    return counted;
  }

  function closedFor(appId: number): AdmissionReason | null {
    const full = latch.outstanding + admittedSince >= rules.outstandingMax;
    const now = { ...latch, countClosed: latch.countClosed || full };
    return closedReason(now, isAppBreakerOpen(appId));
  }

  return {
    get latch() {
      return latch;
    },
    async round() {
      const [stored, outstanding] = await Promise.all([store.read(), store.countOutstanding()]);
      latch = latchAfterCount(stored, outstanding, rules.outstandingMax);
      admittedSince = 0;
      if (latch.countClosed !== stored.countClosed || latch.outstanding !== stored.outstanding) {
        await store.saveCount(latch);
      }
    },
    async refusalFor(request: RefreshRequest): Promise<RefreshRefusal | null> {
      const account = await countOf(request.accountId);
      const reason = closedFor(request.scope.app_id);
      if (reason) {
        return productUnavailable(reason, retryAfter[reason]);
      }
      const limit = rules.outstandingPerAccountMax;
      if (account.outstanding >= limit) {
        return outstandingLimitExceeded(limit, accountRetryAfterSeconds);
      }
      const noCapacity = room.missingFor(request.accountId);
      if (noCapacity) return refusalOf(noCapacity, account.outstanding);
      account.outstanding += 1;
      admittedSince += 1;
      room.admitted(request.accountId, 1);
      return null;
    },
    uncount({ accountId }) {
      const account = accounts.get(accountId);
      if (account) account.outstanding -= 1;
      admittedSince -= 1;
      room.admitted(accountId, -1);
    },
  };
}

/** The limit of an account that has its part already is what it has. */
function refusalOf({ full, retryAfterSeconds }: NoCapacity, limit: number): RefreshRefusal {
  return full === 'account'
    ? outstandingLimitExceeded(limit, retryAfterSeconds)
    : productUnavailable('global_outstanding_closed', retryAfterSeconds);
}

function outstandingLimitExceeded(limit: number, retryAfterSeconds: number): RefreshRefusal {
  return {
    code: 'outstanding_limit_exceeded',
    detail: { limit },
    retry_after_seconds: retryAfterSeconds,
  };
}

function productUnavailable(reason: AdmissionReason, retryAfterSeconds: number): RefreshRefusal {
  return {
    code: 'product_unavailable',
    detail: { admission_state: 'closed', reason },
    retry_after_seconds: retryAfterSeconds,
  };
}
