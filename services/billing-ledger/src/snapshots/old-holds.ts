import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { type Hold, listHolds } from '../accounts/hold-set.domain.ts';
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

export interface ListOldHoldsDeps {
  readonly snapshots: Pick<SnapshotStore, 'listSnapshotsWithHolds' | 'findPassedThrough'>;
  readonly clock: Clock;
}

export type ListOldHolds = (options: {
  readonly olderThanMs: number;
  readonly limit: number;
}) => Promise<OldHolds>;

/**
 * Open holds of all accounts that were made some time ago, the oldest first, as the snapshots have
 * them: one that was resolved since may still be listed.
 */
export function createListOldHolds({ snapshots, clock }: ListOldHoldsDeps): ListOldHolds {
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
