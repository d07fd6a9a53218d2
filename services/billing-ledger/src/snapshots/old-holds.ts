import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { resolutionKey } from '../accounts/command.domain.ts';
import { type Hold, listHolds } from '../accounts/hold-set.domain.ts';
import { unlessBroken } from '../journal/commit-document.ts';
import type { Journal } from '../journal/journal-store.ts';
import { commitDelayMaxMs } from './snapshot-pass.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export interface AccountHold extends Hold {
  readonly accountId: AccountId;
}

export interface OldHolds {
  /** All entries made before this time are considered; some later ones may be. */
  readonly asOfMs: number;
  readonly items: readonly AccountHold[];
}

export type ListOldHolds = (options: {
  readonly olderThanMs: number;
  readonly limit: number;
}) => Promise<OldHolds>;

/** Holds of one account whose resolutions are read at once. */
const holdsPerRead = 100;

/**
 * Open holds of all accounts that were made some time ago, the oldest first. The snapshots have the
 * candidates, the journal has which of them are resolved.
 */
export function createListOldHolds({
  snapshots,
  journal,
  clock,
}: {
  readonly snapshots: SnapshotStore;
  readonly journal: Journal;
  readonly clock: Clock;
}): ListOldHolds {
  /** At most about `limit`, the oldest first. */
  async function listOpen(accountId: AccountId, holds: readonly Hold[], limit: number) {
    const open: AccountHold[] = [];
    for (let from = 0; from < holds.length && open.length < limit; from += holdsPerRead) {
      const page = holds.slice(from, from + holdsPerRead);
      const keys = page.map(({ refreshId }) => resolutionKey(refreshId));
      const resolutions = await unlessBroken(journal.findRecorded(accountId, keys));
      const resolved = new Set(resolutions.map(({ refreshId }) => refreshId));
      const stillOpen = page.filter(({ refreshId }) => !resolved.has(refreshId));
      open.push(...stillOpen.map((hold) => ({ accountId, ...hold })));
    }
    return open;
  }

  return async ({ olderThanMs, limit }) => {
    const nowMs = clock.now();
    const until = nowMs - olderThanMs;
    // A pass does not find the commits that reach the journal after it.
    const throughMs = Math.min(nowMs, await snapshots.findPassedThrough());
    const asOfMs = Math.max(0, throughMs - commitDelayMaxMs);
    let holds: AccountHold[] = [];
    for await (const { account } of snapshots.listSnapshotsWithHolds(until)) {
      const own = listHolds(account.holds).filter((hold) => hold.reservedAtMs <= until);
      const last = holds[limit - 1];
      const oldest = own[0];
      if (last && oldest && last.reservedAtMs <= oldest.reservedAtMs) break;
      const open = await listOpen(account.accountId, own, limit);
      holds = [...holds, ...open].sort(byAge).slice(0, limit);
    }
    return { asOfMs, items: holds };
  };
}

function byAge(left: AccountHold, right: AccountHold): number {
  return left.reservedAtMs - right.reservedAtMs;
}

export type HoldWatch = ReturnType<typeof createHoldWatch>;

/** The oldest open hold of any account, as of the last round. */
export function createHoldWatch(listOldHolds: ListOldHolds) {
  let oldestAtMs: number | null | undefined;
  return {
    /** Null where there is no hold, undefined where that is not known. */
    oldestAtMs: () => oldestAtMs,
    async round(): Promise<void> {
      try {
        const { items } = await listOldHolds({ olderThanMs: 0, limit: 1 });
        oldestAtMs = items[0]?.reservedAtMs ?? null;
      } catch (error) {
        oldestAtMs = undefined;
        throw error;
      }
    },
  };
}
