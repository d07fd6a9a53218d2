import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { Clock } from '@inventory/runtime/clock';
import {
  isCurrent,
  missingCapacity,
  type NoCapacity,
  type PublishedPlan,
} from '../plan/published-plan.domain.ts';

interface Admitted {
  readonly accountId: string;
  readonly pages: number;
}

const refusedMs = 60_000;
const refusedMax = 1_000;

/** Whether the pages of one more refresh are expected to be read in time. */
export function watchCapacity(plan: () => PublishedPlan, clock: Clock) {
  const refusedAtMs = new Map<string, number>();
  let since = { planMs: 0, admitted: new Map<string, Admitted>() };

  function admittedSince(planMs: number): Map<string, Admitted> {
    if (since.planMs !== planMs) since = { planMs, admitted: new Map() };
    return since.admitted;
  }

  function othersRefused(accountId: string): number {
    const nowMs = clock.now();
    for (const [id, atMs] of refusedAtMs) {
      if (Math.abs(nowMs - atMs) >= refusedMs) refusedAtMs.delete(id);
    }
    return refusedAtMs.size - Number(refusedAtMs.has(accountId));
  }

  return {
    /**
     * Null when they are. For an account refused by `all`, its part is reserved for a minute. Without
     * expected pages a refresh counts as a typical one.
     */
    missingFor(accountId: string, expectedPages: number | null): NoCapacity | null {
      const present = plan();
      if (!isCurrent(present, clock.now())) return null;
      const admitted = [...admittedSince(present.atMs).values()];
      const noCapacity = missingCapacity(present, {
        accountId,
        pages: expectedPages ?? present.typicalPages,
        pagesSince: pagesOf(admitted),
        accountPagesSince: pagesOf(admitted.filter((one) => one.accountId === accountId)),
        accountsRefused: othersRefused(accountId),
      });
      if (noCapacity?.full === 'all' && refusedAtMs.size < refusedMax) {
        refusedAtMs.set(accountId, clock.now());
      }
      return noCapacity;
    },
    /** Counts a refresh that the plan does not contain yet. */
    admitted({ refreshId, accountId }: RefreshRequest, expectedPages: number | null): void {
      const { atMs, typicalPages } = plan();
      admittedSince(atMs).set(refreshId, { accountId, pages: expectedPages ?? typicalPages });
      refusedAtMs.delete(accountId);
    },
    /** Reverts that count. */
    withdrawn(refreshId: string): void {
      admittedSince(plan().atMs).delete(refreshId);
    },
  };
}

const pagesOf = (admitted: readonly Admitted[]): number =>
  admitted.reduce((sum, { pages }) => sum + pages, 0);
