import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { ClosedReason } from '@inventory/contracts/vocabulary';
import type { Clock } from '@inventory/runtime/clock';
import type { NoCapacity, PublishedPlan } from '../plan/published-plan.domain.ts';
import type { RecentUse } from '../recent-use.ts';
import { type AdmissionState, admissionAfterCount, closedReason } from './admission.domain.ts';
import type { AdmissionStore } from './admission-store.ts';
import type { Admission } from './admit-attempt.ts';
import { watchCapacity } from './watch-capacity.ts';

export interface AdmissionRules {
  readonly outstandingMax: number;
  readonly outstandingPerAccountMax: number;
  /** How long a count of one account is trusted. */
  readonly accountCountMs: number;
}

/** Whose attempt it would be, and on what. */
export type AttemptSubject = Pick<RefreshRequest, 'accountId' | 'scope'>;

export interface AdmissionWatch extends Admission {
  /** What an attempt would be refused with now; nothing is counted. */
  refusalOf(subject: AttemptSubject, expectedPages: number | null): Promise<RefreshRefusal | null>;
  /**
   * Reads the shared state; counts and writes it unless another replica did since the last update.
   * Repeated every second while the replica is used.
   */
  update(): Promise<void>;
  readonly state: AdmissionState;
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
): AdmissionWatch {
  let state: AdmissionState = { operatorClosed: false, countClosed: false, outstanding: 0 };
  let admittedSince = 0;
  /** Admitted here before the last update; the count of another replica may not contain them. */
  let admittedBefore = 0;
  let countsSeen = 0;
  const accounts = new Map<string, { outstanding: number; countedMs: number }>();
  const capacity = watchCapacity(plan, clock);

  async function countOf(accountId: string): Promise<{ outstanding: number }> {
    await use.note();
    const cached = accounts.get(accountId);
    if (cached && Math.abs(clock.now() - cached.countedMs) < rules.accountCountMs) return cached;
    const counted = {
      outstanding: await store.countOutstandingOfAccount(accountId),
      countedMs: clock.now(),
    };
    const meanwhile = accounts.get(accountId);
    if (meanwhile && meanwhile !== cached) return meanwhile;
    if (accounts.size >= accountsCountedMax) accounts.clear();
    accounts.set(accountId, counted);
    return counted;
  }

  function closedFor(appId: number): ClosedReason | null {
    const admitted = admittedBefore + admittedSince;
    const full = state.outstanding + admitted >= rules.outstandingMax;
    const now = { ...state, countClosed: state.countClosed || full };
    return closedReason(now, isAppBreakerOpen(appId));
  }

  /** Nothing may run between this and the count of what it admits: a burst would pass the limits. */
  function refusalFor(
    { accountId, scope }: AttemptSubject,
    outstanding: number,
    expectedPages: number | null,
  ): RefreshRefusal | null {
    const reason = closedFor(scope.app_id);
    if (reason) return productUnavailable({ reason }, retryAfter[reason]);
    const max = rules.outstandingPerAccountMax;
    if (outstanding >= max) {
      return outstandingLimitExceeded('account_count', max, accountRetryAfterSeconds);
    }
    const noCapacity = capacity.missingFor(accountId, expectedPages);
    return noCapacity && capacityRefusal(noCapacity, max);
  }

  return {
    get state() {
      return state;
    },
    async update() {
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
    async refusalOf(subject, expectedPages) {
      const { outstanding } = await countOf(subject.accountId);
      return refusalFor(subject, outstanding, expectedPages);
    },
    async admit(request, expectedPages): Promise<RefreshRefusal | null> {
      const account = await countOf(request.accountId);
      const refusal = refusalFor(request, account.outstanding, expectedPages);
      if (refusal) return refusal;
      account.outstanding += 1;
      admittedSince += 1;
      capacity.admitted(request, expectedPages);
      return null;
    },
    countAhead: ({ accountId }) => (accounts.get(accountId)?.outstanding ?? 1) - 1,
    decrement({ refreshId, accountId }) {
      const account = accounts.get(accountId);
      if (account) account.outstanding -= 1;
      admittedSince -= 1;
      capacity.withdrawn(refreshId);
    },
  };
}

function capacityRefusal(missing: NoCapacity, outstandingMax: number): RefreshRefusal {
  const { retryAfterSeconds } = missing;
  switch (missing.full) {
    case 'account':
      return outstandingLimitExceeded('account_share', outstandingMax, retryAfterSeconds);
    case 'scan': {
      const detail = { reason: 'inventory_too_large', pages_max: missing.pagesMax } as const;
      return productUnavailable(detail, retryAfterSeconds);
    }
    case 'all':
      return productUnavailable({ reason: 'capacity' }, retryAfterSeconds);
  }
}

type RefusalOf<Code> = Extract<RefreshRefusal, { code: Code }>;

function outstandingLimitExceeded(
  limit: RefusalOf<'outstanding_limit_exceeded'>['detail']['limit'],
  outstandingMax: number,
  retryAfterSeconds: number,
): RefreshRefusal {
  return {
    code: 'outstanding_limit_exceeded',
    detail: { limit, outstanding_max: outstandingMax },
    retry_after_seconds: retryAfterSeconds,
  };
}

function productUnavailable(
  detail: Omit<RefusalOf<'product_unavailable'>['detail'], 'admission_state'>,
  retryAfterSeconds: number,
): RefreshRefusal {
  return {
    code: 'product_unavailable',
    detail: { admission_state: 'closed', ...detail },
    retry_after_seconds: retryAfterSeconds,
  };
}
