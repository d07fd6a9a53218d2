import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { type Hold, listHolds } from '../accounts/hold-set.domain.ts';
import type { AccountCache } from '../journal/account-cache.ts';
import { commitDelayMaxMs } from './snapshot-pass.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export interface AccountHold {
  readonly accountId: AccountId;
  readonly hold: Hold;
}

export interface OldHolds {
  /** All entries made before this time are considered; some later ones may be. */
  readonly asOfMs: number;
  readonly holds: readonly AccountHold[];
}

export type ListOldHolds = (options: {
  readonly olderThanMs: number;
  readonly limit: number;
}) => Promise<OldHolds>;

/**
 * Open holds of all accounts that were made some time ago, the oldest first, as the snapshots have
 * them: one that was resolved since may still be listed.
 */
export function createListOldHolds({
  snapshots,
  clock,
}: {
  readonly snapshots: Pick<SnapshotStore, 'listSnapshotsWithHolds' | 'findPassedThrough'>;
  readonly clock: Clock;
}): ListOldHolds {
  return async ({ olderThanMs, limit }) => {
    const until = clock.now() - olderThanMs;
    // A pass does not find the commits that reach the journal after it.
    const asOfMs = Math.max(0, (await snapshots.findPassedThrough()) - commitDelayMaxMs);
    let holds: AccountHold[] = [];
    for await (const { account } of snapshots.listSnapshotsWithHolds(until)) {
      const own = listHolds(account.holds).filter((hold) => hold.reservedAt <= until);
      const last = holds[limit - 1];
      const oldest = own[0];
      if (last && oldest && last.hold.reservedAt <= oldest.reservedAt) break;
      const { accountId } = account;
      holds = [...holds, ...own.map((hold) => ({ accountId, hold }))].sort(byAge).slice(0, limit);
    }
    return { asOfMs, holds };
  };
}

function byAge(left: AccountHold, right: AccountHold): number {
  return left.hold.reservedAt - right.hold.reservedAt;
}

export type HoldWatch = ReturnType<typeof watchHolds>;

export function watchHolds({
  cache,
  listOldHolds,
  oldMs,
}: {
  readonly cache: Pick<AccountCache, 'all'>;
  readonly listOldHolds: ListOldHolds;
  /** Holds younger than this are looked for in memory only; snapshots may not have them yet. */
  readonly oldMs: number;
}) {
  let oldOneAtMs: number | null = null;

  return {
    /** What is known of open holds now: in memory, and of old ones as last looked up. */
    holds(): { readonly open: number; readonly oldestAtMs: number | null } {
      let open = 0;
      let oldestAtMs = oldOneAtMs ?? Number.POSITIVE_INFINITY;
      for (const { account } of cache.all()) {
        if (account.holds.size === 0) continue;
        open += account.holds.size;
        for (const bucket of account.holds.buckets) {
          for (const { reservedAt } of bucket) oldestAtMs = Math.min(oldestAtMs, reservedAt);
        }
      }
      return { open, oldestAtMs: Number.isFinite(oldestAtMs) ? oldestAtMs : null };
    },
    /** Finds the oldest hold of any account, cached here or not. */
    async round(): Promise<void> {
      const { holds } = await listOldHolds({ olderThanMs: oldMs, limit: 1 });
      const [found] = holds;
      oldOneAtMs = found?.hold.reservedAt ?? null;
    },
  };
}
