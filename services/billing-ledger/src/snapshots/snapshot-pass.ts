import type { AccountId } from '@inventory/contracts/ids';
import { Bug } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { AccountActivity, Journal } from '../journal/journal-store.ts';
import type { RunLeased } from '../run-leased.ts';
import type { RollUpUsage } from '../usage/roll-up-usage.ts';
import type { BringUpToDate } from './rebuild-snapshots.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/**
 * Brings snapshots and usage roll-ups of all accounts active since the last pass up to date, when
 * that is due: one pass at a time over all replicas.
 */
export type SnapshotPass = () => Promise<void>;

/** Journal reach the journal at most this long after their entries' times; clocks differ by less. */
export const commitDelayMaxMs = 60_000;
const commitsPerPage = 2_000;
const accountsAtOnce = 4;

/**
 * It reads only the journal, so it heals what a crash kept a writer from saving. A replica that
 * lost the lease does no harm: the newer snapshot is kept.
 */
export function createSnapshotPass(deps: {
  readonly journal: Journal;
  readonly snapshots: SnapshotStore;
  readonly bringUpToDate: BringUpToDate;
  readonly rollUpUsage: RollUpUsage;
  readonly runLeased: RunLeased;
  /** From one pass of any replica to the next. */
  readonly intervalMs: number;
  /** That of the journal: a commit that a pass is too far ahead for would never be passed. */
  readonly clock: Clock;
  readonly logger: Logger;
}): SnapshotPass {
  const { journal, snapshots, clock } = deps;

  async function snapshotOne(accountId: AccountId, signal: AbortSignal): Promise<void> {
    try {
      await deps.bringUpToDate(accountId, signal);
      await deps.rollUpUsage(accountId);
    } catch (error) {
      if (!(error instanceof Bug)) throw error;
      // A broken account must not stop the snapshots of the others; verification reports it.
      deps.logger.error({ err: error, accountId }, 'account load failed');
    }
  }

  async function passFrom(passedMs: number, endMs: number, signal: AbortSignal): Promise<void> {
    let from = isAhead(passedMs, endMs) ? 0 : Math.max(0, passedMs - commitDelayMaxMs);
    let throughMs = passedMs;
    let page: readonly AccountActivity[];
    do {
      page = await journal.listActiveAccounts(from, commitsPerPage);
      const accounts = new Set(page.map(({ accountId }) => accountId));
      await forEachLimited(accounts, accountsAtOnce, (one) => snapshotOne(one, signal));
      // A page that is all of one millisecond is followed by the next millisecond.
      from = Math.max(page.at(-1)?.atMs ?? endMs, from + 1);
      const nextMs = page.length === commitsPerPage ? Math.min(from, endMs) : endMs;
      // Another pass is under way where it was moved meanwhile.
      if (!(await snapshots.movePass(throughMs, nextMs))) return;
      throughMs = nextMs;
    } while (page.length === commitsPerPage);
  }

  /** Recorded by a clock that was wrong: it does not say what was passed. */
  const isAhead = (throughMs: number, nowMs: number) => throughMs > nowMs + commitDelayMaxMs;
  function isDue(throughMs: number): boolean {
    const nowMs = clock.now();
    return nowMs - throughMs >= deps.intervalMs || isAhead(throughMs, nowMs);
  }

  return async () => {
    if (!isDue(await snapshots.findPassedThrough())) return;
    await deps.runLeased('snapshot pass', async (signal) => {
      // Another replica may have passed just before.
      const throughMs = await snapshots.findPassedThrough();
      if (isDue(throughMs)) await passFrom(throughMs, clock.now(), signal);
    });
  };
}
