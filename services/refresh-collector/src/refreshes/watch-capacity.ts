import type { Clock } from '@inventory/runtime/clock';
import {
  isCurrent,
  missingCapacity,
  type NoCapacity,
  type PublishedPlan,
} from './published-plan.domain.ts';

/** Whether the pages of one more refresh are expected to be read in time. */
export interface CapacityWatch {
  /** Null when they are. For an account refused by `all`, its part is reserved for a minute. */
  missingFor(accountId: string): NoCapacity | null;
  /** Counts a refresh that the plan does not contain yet, or reverts that count. */
  admitted(accountId: string, by: 1 | -1): void;
}

const refusedMs = 60_000;
const refusedMax = 1_000;

export function watchCapacity(plan: () => PublishedPlan, clock: Clock): CapacityWatch {
  const refusedUntilMs = new Map<string, number>();
  let since = { planMs: 0, all: 0, ofAccount: new Map<string, number>() };

  function admittedSince(planMs: number): typeof since {
    if (since.planMs !== planMs) since = { planMs, all: 0, ofAccount: new Map() };
    return since;
  }

  function othersRefused(accountId: string): number {
    const nowMs = clock.now();
    for (const [id, untilMs] of refusedUntilMs) if (untilMs <= nowMs) refusedUntilMs.delete(id);
    return refusedUntilMs.size - Number(refusedUntilMs.has(accountId));
  }

  return {
    missingFor(accountId) {
      const present = plan();
      if (!isCurrent(present, clock.now())) return null;
      const { all, ofAccount } = admittedSince(present.atMs);
      const noCapacity = missingCapacity(present, {
        accountId,
        pagesSince: all * present.typicalPages,
        accountPagesSince: (ofAccount.get(accountId) ?? 0) * present.typicalPages,
        accountsRefused: othersRefused(accountId),
      });
      if (noCapacity?.full === 'all' && refusedUntilMs.size < refusedMax) {
        refusedUntilMs.set(accountId, clock.now() + refusedMs);
      }
      return noCapacity;
    },
    admitted(accountId, by) {
      const admitted = admittedSince(plan().atMs);
      admitted.all += by;
      admitted.ofAccount.set(accountId, (admitted.ofAccount.get(accountId) ?? 0) + by);
      refusedUntilMs.delete(accountId);
    },
  };
}
