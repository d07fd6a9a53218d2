import type { AccountId } from '@inventory/contracts/ids';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { commitDuration, repetitions } from '../metrics.ts';
import {
  type AccountBatch,
  type AccountBatchDeps,
  acceptBatch,
  accountBatches,
  type Carrier,
  type Journaled,
  type PlannedBatch,
  planBatch,
  reloadAfterConflict,
} from './account-batch.ts';
import { isBroken } from './commit-document.ts';
import type { AppendResult } from './journal-store.ts';
import { SnapshotOutdated } from './load-account.ts';

/** Commands that no entry decides yet. */
export interface Undecided<Item extends Carrier> {
  /** Their account's journal does not add up: it is quarantined. */
  readonly quarantined: readonly Item[];
  /** Their account's snapshot is being rebuilt: they are to be tried again. */
  readonly outdated: readonly Item[];
}

export type PublishOutcomes<Item extends Carrier> = (
  journaled: readonly Journaled<Item>[],
) => Promise<void>;

/**
 * Journals commands, each account's in their order, in rounds: at most one commit per account and
 * round, so that one account's backlog does not keep its neighbours waiting.
 *
 * 1. evaluate against the accounts as known here;
 * 2. append the commits in one insert. Nothing is published that is not in the journal. A crash
 *    before it leaves nothing; after it, the commands are delivered again and find their entries. After an
 *    ambiguous failure the accounts are dropped, so that the next try reads what is stored;
 * 3. hand the commands with their entries to `publish`. After a crash before it ends the commands
 *    are delivered again;
 * 4. read from the journal why it refused a commit, and evaluate that account again.
 *
 * Resolves with the commands that have no entry. One account that cannot be read does not stop the
 * others: their commands are journaled.
 */
export type CommitCommands = <Item extends Carrier>(
  items: readonly Item[],
  publish: PublishOutcomes<Item>,
) => Promise<Undecided<Item>>;

const accountsAtOnce = 16;

export function createCommitCommands(deps: AccountBatchDeps): CommitCommands {
  return async (items, publish) => {
    // Accounts dropped meanwhile, because partitions moved, must not be cached again.
    const { generation } = deps.cache;
    type Item = (typeof items)[number];
    const undecided = { quarantined: [] as Item[], outdated: [] as Item[] };
    let batches = accountBatches(items);
    while (batches.length > 0) {
      await commitBatches(deps, batches, { publish, generation, undecided });
      batches = batches.filter((batch) => batch.items.length > 0);
    }
    return undecided;
  };
}

interface Round<Item extends Carrier> {
  readonly publish: PublishOutcomes<Item>;
  readonly generation: number;
  readonly undecided: { readonly [Why in keyof Undecided<Item>]: Item[] };
}

async function commitBatches<Item extends Carrier>(
  deps: AccountBatchDeps,
  batches: readonly AccountBatch<Item>[],
  round: Round<Item>,
): Promise<void> {
  await deps.prices.reloadIfOld();
  const planned: PlannedBatch<Item>[] = [];
  await forEachLimited(batches, accountsAtOnce, async (batch) => {
    const plan = await planUnlessUnreadable(deps, batch);
    if (typeof plan === 'object') planned.push(plan);
    else leaveOut(batch, plan, round);
  });
  const writing = planned.filter(({ plan }) => plan.entries.length > 0);
  const results = await append(deps, writing);
  const journaled: Journaled<Item>[] = [];
  const refused: PlannedBatch<Item>[] = [];
  for (const one of planned) {
    const result = results.get(one);
    const { generation } = round;
    if (result?.result === 'refused') refused.push(one);
    else {
      const head = result?.head ?? one.before.head;
      journaled.push(...acceptBatch(deps, one, { head, generation }));
      repetitions.add(one.plan.recorded.length - one.plan.entries.length);
    }
  }
  if (journaled.length > 0) await round.publish(journaled);
  await forEachLimited(refused, accountsAtOnce, async (one) => {
    const { batch } = one;
    const why = await orQuarantined(deps, batch.accountId, () => reloadAfterConflict(deps, one));
    if (why !== undefined) leaveOut(batch, why, round);
  });
}

function leaveOut<Item extends Carrier>(
  batch: AccountBatch<Item>,
  why: keyof Undecided<Item>,
  { undecided }: Round<Item>,
): void {
  undecided[why].push(...batch.items);
  batch.items = [];
}

/** Why an account is not read, where it is not. */
async function planUnlessUnreadable<Item extends Carrier>(
  deps: AccountBatchDeps,
  batch: AccountBatch<Item>,
): Promise<PlannedBatch<Item> | keyof Undecided<Item>> {
  const { accountId } = batch;
  if (await deps.quarantine.has(accountId)) return 'quarantined';
  // A reader of the holds may wait for a snapshot while the writer has the account in memory.
  if (deps.rebuilds.has(accountId) && !deps.cache.get(accountId)) return 'outdated';
  return await orQuarantined(deps, accountId, () => planBatch(deps, batch));
}

/** Why an account cannot be read, where that is so; a broken one is quarantined. */
async function orQuarantined<Value>(
  deps: AccountBatchDeps,
  accountId: AccountId,
  read: () => Promise<Value>,
): Promise<Value | keyof Undecided<never>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SnapshotOutdated) return 'outdated';
    if (!isBroken(error)) throw error;
    deps.cache.drop(accountId);
    await deps.quarantine.add(accountId, error.message);
    return 'quarantined';
  }
}

async function append<Item extends Carrier>(
  deps: AccountBatchDeps,
  planned: readonly PlannedBatch<Item>[],
): Promise<ReadonlyMap<PlannedBatch<Item>, AppendResult>> {
  if (planned.length === 0) return new Map();
  const commits = planned.map(({ before, plan }) => ({
    account: plan.account,
    entries: plan.entries,
    previous: before.head,
  }));
  const startMs = monotonicNow();
  try {
    const results = await deps.journal.appendCommits(commits);
    commitDuration.record(elapsedSince(startMs) / 1_000);
    return new Map(planned.map((one, index) => [one, resultAt(results, index)]));
  } catch (error) {
    for (const { batch } of planned) deps.cache.drop(batch.accountId);
    throw error;
  }
}

function resultAt(results: readonly AppendResult[], index: number): AppendResult {
  const result = results[index];
  if (!result) throw new RangeError('the journal has a result for every commit');
  return result;
}
