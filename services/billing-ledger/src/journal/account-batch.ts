import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { type Command, commandKey } from '../accounts/command.domain.ts';
import { type Entry, entryKeys } from '../accounts/entry.domain.ts';
import {
  type CommitLimits,
  type CommitPlan,
  planCommit,
  type RecordedCommand,
} from '../accounts/evaluate.domain.ts';
import { type Hold, listHolds } from '../accounts/hold-set.domain.ts';
import { LedgerConflict } from '../accounts/ledger-conflict.domain.ts';
import type { PriceListCache } from '../prices/price-lists.ts';
import type { SnapshotRebuilds } from '../snapshots/rebuild-snapshots.ts';
import type { AccountCache, CachedAccount } from './account-cache.ts';
import type { ChainHead } from './commit-document.ts';
import type { Journal } from './journal-store.ts';
import type { LoadAccount } from './load-account.ts';
import type { Quarantine } from './quarantine.ts';
import type { RecentEntries } from './recent-entries.ts';

/** Anything with a command: a message with its trace, for instance. */
export interface Carrier {
  readonly command: Command;
}

/** A command that is in the journal. */
export interface Journaled<Item extends Carrier> extends RecordedCommand {
  readonly item: Item;
}

/** What the batches of accounts are committed with. */
export interface AccountBatchDeps {
  readonly journal: Journal;
  readonly loadAccount: LoadAccount;
  readonly cache: AccountCache;
  readonly quarantine: Quarantine;
  readonly rebuilds: SnapshotRebuilds;
  readonly recent: RecentEntries;
  readonly prices: PriceListCache;
  readonly clock: Clock;
  /** Most entries and bytes of one account that are written together. */
  readonly limits: CommitLimits;
  /** After each commit is stored. */
  readonly onCommitted: (cached: CachedAccount, entries: readonly Entry[]) => void;
}

/** Two writers keep refusing each other's commits of one account; the batch is retried later. */
class CommitContention extends Error {
  override name = 'CommitContention';
}

/** The commands of one account that are to be journaled, in order. */
export interface AccountBatch<Item extends Carrier> {
  readonly accountId: AccountId;
  items: readonly Item[];
  /** Entries found in the journal after it refused a commit. */
  readonly found: Map<string, Entry>;
  /** Refused commits in a row without a recorded command. */
  refusals: number;
}

export interface PlannedBatch<Item extends Carrier> {
  readonly batch: AccountBatch<Item>;
  readonly before: CachedAccount;
  readonly plan: CommitPlan;
}

const refusalsMax = 5;

export function accountBatches<Item extends Carrier>(items: readonly Item[]): AccountBatch<Item>[] {
  const byAccount = Map.groupBy(items, ({ command }) => command.body.accountId);
  return [...byAccount].map(([accountId, ofAccount]) => ({
    accountId,
    items: ofAccount,
    found: new Map(),
    refusals: 0,
  }));
}

/** Evaluates what is next in a batch against its account as known here. */
export async function planBatch<Item extends Carrier>(
  deps: AccountBatchDeps,
  batch: AccountBatch<Item>,
): Promise<PlannedBatch<Item>> {
  const before = deps.cache.get(batch.accountId) ?? (await load(deps, batch.accountId));
  const plan = (): PlannedBatch<Item> => {
    const context = {
      now: deps.clock.now(),
      prices: deps.prices.book,
      recorded: (key: string) => batch.found.get(key) ?? deps.recent.find(batch.accountId, key),
    };
    const commands = batch.items.map(({ command }) => command);
    return { batch, before, plan: planCommit(before.account, commands, context, deps.limits) };
  };
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof LedgerConflict)) throw error;
    // A command recorded earlier was evaluated as new. With its entry loaded it is a duplicate.
    const keys = batch.items.map(({ command }) => commandKey(command));
    await findRecorded(deps, batch, keys);
    return plan();
  }
}

async function load(deps: AccountBatchDeps, accountId: AccountId): Promise<CachedAccount> {
  const { account, head, snapshotSeq, tail } = await deps.loadAccount(accountId);
  deps.recent.add(accountId, tail);
  const { prices } = deps;
  const isPriced = (hold: Hold) => prices.book.byVersion(hold.priceVersion) !== undefined;
  // Another replica may have read a price list that this one has not read yet.
  if (!listHolds(account.holds).every(isPriced)) await prices.reload();
  return { account, head, snapshotSeq };
}

/** Caches the account as stored and removes the journaled commands from the batch. */
export function acceptBatch<Item extends Carrier>(
  deps: AccountBatchDeps,
  { batch, before, plan }: PlannedBatch<Item>,
  stored: { readonly head: ChainHead; readonly generation: number },
): Journaled<Item>[] {
  const { cache } = deps;
  const { head } = stored;
  const cached = { account: plan.account, head, snapshotSeq: before.snapshotSeq };
  if (stored.generation === cache.generation) cache.set(cached);
  if (plan.entries.length > 0) {
    deps.recent.add(batch.accountId, plan.entries);
    deps.onCommitted(cached, plan.entries);
  }
  const journaled = batch.items.flatMap((item, index) => {
    const recorded = plan.recorded[index];
    return recorded ? [{ item, ...recorded }] : [];
  });
  batch.items = batch.items.slice(journaled.length);
  batch.refusals = 0;
  return journaled;
}

/** Reads which commands of a refused commit are recorded already; the account is loaded again. */
export async function reloadAfterConflict<Item extends Carrier>(
  deps: AccountBatchDeps,
  { batch, plan }: PlannedBatch<Item>,
): Promise<void> {
  deps.cache.drop(batch.accountId);
  const recorded = await findRecorded(deps, batch, plan.entries.flatMap(entryKeys));
  // No recorded command: the position was taken, so another replica writes this account.
  batch.refusals = recorded > 0 ? 0 : batch.refusals + 1;
  if (batch.refusals > refusalsMax) throw new CommitContention('another writer has this account');
}

/** Remembers the recorded entries of some keys; returns how many there are. */
async function findRecorded<Item extends Carrier>(
  deps: AccountBatchDeps,
  batch: AccountBatch<Item>,
  keys: readonly string[],
): Promise<number> {
  const recorded = await deps.journal.findRecorded(batch.accountId, keys);
  for (const entry of recorded) for (const key of entryKeys(entry)) batch.found.set(key, entry);
  return recorded.length;
}
