import type { AccountId } from '@inventory/contracts/ids';
import { Bug } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { type Hold, listHolds } from '../domain/hold-set.ts';
import type { SnapshotStore } from '../storage/snapshot-store.ts';
import type { LoadAccount } from './load-account.ts';
import type { SnapshotPass } from './snapshot-pass.ts';

export interface AccountHold {
  readonly accountId: AccountId;
  readonly hold: Hold;
}

export interface ListOldHoldsDeps {
  readonly snapshots: Pick<SnapshotStore, 'listAccountsWithHolds' | 'saveSnapshot'>;
  readonly pass: SnapshotPass;
  readonly loadAccount: LoadAccount;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type ListOldHolds = (options: {
  readonly olderThanMs: number;
  readonly limit: number;
}) => Promise<readonly AccountHold[]>;

/** Open holds of all accounts that were made some time ago, the oldest first. */
export function createListOldHolds(deps: ListOldHoldsDeps): ListOldHolds {
  return async ({ olderThanMs, limit }) => {
    const until = deps.clock.now() - olderThanMs;
    await deps.pass.bringUpTo(until);
    let found: AccountHold[] = [];
    for await (const { accountId, oldestHoldAt } of deps.snapshots.listAccountsWithHolds(until)) {
      const last = found[limit - 1];
      if (last && last.hold.reservedAt <= oldestHoldAt) break;
      const confirmed = await confirmedHolds(deps, accountId, until);
      found = [...found, ...confirmed].sort(byAge).slice(0, limit);
    }
    return found;
  };
}

/** The snapshot only names a candidate; the fold of the journal decides which holds are open. */
async function confirmedHolds(
  deps: ListOldHoldsDeps,
  accountId: AccountId,
  until: number,
): Promise<AccountHold[]> {
  try {
    const loaded = await deps.loadAccount(accountId);
    if (loaded.account.lastSeq > loaded.snapshotSeq) await deps.snapshots.saveSnapshot(loaded);
    return listHolds(loaded.account.holds)
      .filter((hold) => hold.reservedAt <= until)
      .map((hold) => ({ accountId, hold }));
  } catch (error) {
    if (!(error instanceof Bug)) throw error;
    // A broken account must not hide the holds of the others.
    deps.logger.error({ err: error, account_id: accountId }, 'account load failed');
    return [];
  }
}

function byAge(left: AccountHold, right: AccountHold): number {
  return left.hold.reservedAt - right.hold.reservedAt;
}
