import type { AccountId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { ClosedReason } from '@inventory/contracts/vocabulary';
import type { Clock } from '@inventory/runtime/clock';
import type { NoCapacity, PublishedPlan } from '../plan/published-plan.domain.ts';
import type { RecentUse } from '../recent-use.ts';
import { type AdmissionState, admissionAfterCount, whyClosed } from './admission.domain.ts';
import type { AdmissionStore } from './admission-store.ts';
import { watchCapacity } from './watch-capacity.ts';

export interface AdmissionRules {
  readonly outstandingMax: number;
  readonly outstandingPerAccountMax: number;
  /** How long a count of one account is trusted. */
  readonly accountCountMs: number;
}

const retryAfter: Readonly<Record<ClosedReason, number>> = {
  global_outstanding_closed: 10,
  platform_unavailable: 60,
  operator_closed: 60,
};
const accountRetryAfterSeconds = 5;
const accountsCountedMax = 10_000;

/**
 * Outstanding refreshes are counted by index, not by a stored counter, by one replica for all: the
 * one whose own count is still the last one when it updates. Between two counts each replica adds
 * what it admitted itself, so that a burst does not pass the limits.
 */
export function watchAdmission(
  store: AdmissionStore,
  isAppBreakerOpen: (appId: number) => boolean,
  plan: () => PublishedPlan,
  rules: AdmissionRules,
  use: RecentUse,
  clock: Clock,
) {
  let state: AdmissionState = { operatorClosed: false, countClosed: false, outstanding: 0 };
  let admittedSince = 0;
  /** Admitted here before the last update; the count of another replica may not contain them. */
  let admittedBefore = 0;
  let countsSeen = 0;
  const accounts = createAccountCounts(store, rules, clock);
  const capacity = watchCapacity(plan, clock);

  function closedFor(appId: number): ClosedReason | null {
    const admitted = admittedBefore + admittedSince;
    const full = state.outstanding + admitted >= rules.outstandingMax;
    const now = { ...state, countClosed: state.countClosed || full };
    return whyClosed(now, isAppBreakerOpen(appId));
  }

  /** Nothing may run between this and the count of what it admits: a burst would pass the limits. */
  function refusalFor(
    accountId: AccountId,
    scope: InventoryKey,
    outstanding: number,
    expectedPages: number | null,
  ): RefreshRefusal | null {
    const reason = closedFor(scope.app_id);
    if (reason) {
      return productUnavailable({ admission_state: 'closed', reason }, retryAfter[reason]);
    }
    const max = rules.outstandingPerAccountMax;
    if (outstanding >= max) {
      return outstandingLimitExceeded('account_count', max, accountRetryAfterSeconds);
    }
    const noCapacity = capacity.missingFor(accountId, expectedPages);
    return noCapacity && capacityRefusal(noCapacity, max);
  }

  return {
    /** As all replicas share it. */
    get state(): AdmissionState {
      return state;
    },
    /**
     * Reads the shared state; counts and writes it unless another replica did since the last update.
     * Repeated every second while the replica is used.
     */
    async update(): Promise<void> {
      const { counts, ...stored } = await store.readAdmission();
      if (counts !== countsSeen) {
        countsSeen = counts;
        state = stored;
        admittedBefore = admittedSince;
        admittedSince = 0;
      } else {
        const outstanding = await store.countOutstanding();
        state = admissionAfterCount(stored, outstanding, rules.outstandingMax);
        // With the count, not after the write: else what was counted would be added once more.
        admittedBefore = 0;
        admittedSince = 0;
        if (await store.saveCount(state, counts)) countsSeen = counts + 1;
      }
    },
    /** What an attempt would be refused with now; nothing is counted. */
    async refusalOf(
      accountId: AccountId,
      scope: InventoryKey,
      expectedPages: number | null,
    ): Promise<RefreshRefusal | null> {
      await use.note();
      const { outstanding } = await accounts.countOf(accountId);
      return refusalFor(accountId, scope, outstanding, expectedPages);
    },
    /**
     * Null when the refresh is admitted, and then it is counted. `expectedPages` is null where nothing
     * is known of its inventory.
     */
    async admit(
      request: RefreshRequest,
      expectedPages: number | null,
    ): Promise<RefreshRefusal | null> {
      const { accountId, scope } = request;
      await use.note();
      const account = await accounts.countOf(accountId);
      const refusal = refusalFor(accountId, scope, account.outstanding, expectedPages);
      if (refusal) return refusal;
      account.outstanding += 1;
      admittedSince += 1;
      capacity.admitted(request, expectedPages);
      return null;
    },
    /** Outstanding refreshes of the account of an admitted one, without itself. */
    countAhead: ({ accountId }: RefreshRequest): number =>
      (accounts.counted(accountId)?.outstanding ?? 1) - 1,
    /** Reverts the count of an attempt that was stored already. */
    decrement({ refreshId, accountId }: RefreshRequest): void {
      const account = accounts.counted(accountId);
      if (account) account.outstanding -= 1;
      admittedSince -= 1;
      capacity.withdrawn(refreshId);
    },
  };
}

/** Outstanding refreshes by account, each as it was counted last. */
function createAccountCounts(
  store: AdmissionStore,
  { accountCountMs }: AdmissionRules,
  clock: Clock,
) {
  const accounts = new Map<string, { outstanding: number; readonly countedMs: number }>();
  return {
    async countOf(accountId: AccountId): Promise<{ outstanding: number }> {
      const cached = accounts.get(accountId);
      if (cached && Math.abs(clock.now() - cached.countedMs) < accountCountMs) return cached;
      const counted = {
        outstanding: await store.countOutstandingOfAccount(accountId),
        countedMs: clock.now(),
      };
      const meanwhile = accounts.get(accountId);
      if (meanwhile && meanwhile !== cached) return meanwhile;
      if (accounts.size >= accountsCountedMax) accounts.clear();
      accounts.set(accountId, counted);
      return counted;
    },
    counted: (accountId: AccountId) => accounts.get(accountId),
  };
}

function capacityRefusal(missing: NoCapacity, outstandingMax: number): RefreshRefusal {
  const { retryAfterSeconds } = missing;
  switch (missing.full) {
    case 'account':
      return outstandingLimitExceeded('account_share', outstandingMax, retryAfterSeconds);
    case 'scan': {
      const { pagesMax: pages_max } = missing;
      return productUnavailable(
        { admission_state: 'closed', reason: 'inventory_too_large', pages_max },
        retryAfterSeconds,
      );
    }
    case 'all':
      return productUnavailable(
        { admission_state: 'closed', reason: 'capacity' },
        retryAfterSeconds,
      );
  }
}

type RefusalOf<Code> = Extract<RefreshRefusal, { code: Code }>;

function outstandingLimitExceeded(
  limit: RefusalOf<'outstanding_limit_exceeded'>['detail']['limit'],
  outstanding_max: number,
  retry_after_seconds: number,
): RefreshRefusal {
  const detail = { limit, outstanding_max };
  return { code: 'outstanding_limit_exceeded', detail, retry_after_seconds };
}

function productUnavailable(
  detail: RefusalOf<'product_unavailable'>['detail'],
  retry_after_seconds: number,
): RefreshRefusal {
  return { code: 'product_unavailable', detail, retry_after_seconds };
}
