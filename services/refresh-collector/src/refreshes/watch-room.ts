import type { Clock } from '@inventory/runtime/clock';
import {
  isCurrent,
  type NoRoom,
  noRoomFor,
  type PublishedPlan,
} from '../scans/published-plan.domain.ts';

/** Whether the pages of one more refresh can be expected to be read in time. */
export interface RoomWatch {
  /** Null when they can. An account that is told `all` is due its part for a minute. */
  missingFor(accountId: string): NoRoom | null;
  /** Counts a refresh that the plan does not know of yet, or takes it back. */
  admitted(accountId: string, by: 1 | -1): void;
}

const turnedAwayMs = 60_000;
const turnedAwayMax = 1_000;

export function watchRoom(plan: () => PublishedPlan, clock: Clock): RoomWatch {
  const turnedAway = new Map<string, number>();
  let since = { planMs: 0, all: 0, ofAccount: new Map<string, number>() };

  function admittedSince(planMs: number): typeof since {
    if (since.planMs !== planMs) since = { planMs, all: 0, ofAccount: new Map() };
    return since;
  }

  function othersTurnedAway(accountId: string): number {
    const nowMs = clock.now();
    for (const [id, untilMs] of turnedAway) if (untilMs <= nowMs) turnedAway.delete(id);
    return turnedAway.size - Number(turnedAway.has(accountId));
  }

  return {
    missingFor(accountId) {
      const present = plan();
      if (!isCurrent(present, clock.now())) return null;
      const { all, ofAccount } = admittedSince(present.atMs);
      const noRoom = noRoomFor(present, {
        accountId,
        pagesSince: all * present.typicalPages,
        accountPagesSince: (ofAccount.get(accountId) ?? 0) * present.typicalPages,
        accountsTurnedAway: othersTurnedAway(accountId),
      });
      if (noRoom?.full === 'all' && turnedAway.size < turnedAwayMax) {
        turnedAway.set(accountId, clock.now() + turnedAwayMs);
      }
      return noRoom;
    },
    admitted(accountId, by) {
      const admitted = admittedSince(plan().atMs);
      admitted.all += by;
      admitted.ofAccount.set(accountId, (admitted.ofAccount.get(accountId) ?? 0) + by);
      turnedAway.delete(accountId);
    },
  };
}
