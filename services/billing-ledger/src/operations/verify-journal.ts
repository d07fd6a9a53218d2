import type { AccountId } from '@inventory/contracts/ids';
import type { CheckpointStore } from '../storage/checkpoint-store.ts';
import type { StoredCommit } from '../storage/commit-document.ts';
import type { Journal } from '../storage/journal.ts';
import type { SnapshotStore } from '../storage/snapshot-store.ts';
import type { UsageStore } from '../storage/usage-store.ts';
import { createPeekQueue } from './peek-queue.ts';
import type { PriceListCache } from './price-list-cache.ts';
import { openUsageScan } from './scan-usage.ts';
import {
  accountOf,
  startRun,
  type VerificationCounts,
  type VerificationRun,
  type VerificationRunOptions,
} from './verification-run.ts';
import type { JournalProblem } from './verify-account.ts';
import { type AccountDocuments, type AccountWalk, startWalk } from './walk-account.ts';

export interface Verification extends VerificationCounts {
  readonly problems: readonly JournalProblem[];
  readonly problemAccounts: readonly string[];
}

export interface VerifyJournalDeps {
  readonly journal: Pick<Journal, 'scanCommits' | 'readCommits'>;
  readonly snapshots: Pick<SnapshotStore, 'scanSnapshots'>;
  readonly usage: Pick<UsageStore, 'listPositions' | 'scanDays'>;
  /** Null where nothing is signed: each verification is a full one. */
  readonly checkpoints: Pick<CheckpointStore, 'saveCheckpoint'> | null;
  readonly prices: Pick<PriceListCache, 'book' | 'reload'>;
  readonly now: () => number;
}

/**
 * Refolds every account from its first entry and compares all that is stored beside the entries:
 * balances, hashes, keys, snapshots, roll-ups. It reads one account at a time, writes checkpoints
 * only, and may run beside writers.
 */
export async function verifyJournal(
  deps: VerifyJournalDeps,
  options: VerificationRunOptions,
): Promise<Verification> {
  await deps.prices.reload();
  const run = startRun(options);
  const documents = openDocuments(deps, run);
  let walk: AccountWalk | null = null;
  for await (const bytes of deps.journal.scanCommits()) {
    const commit = run.read(bytes);
    if (commit) walk = await addCommit(deps, run, documents, { walk, commit });
    await run.yieldToEventLoop();
  }
  if (walk) await finishWalk(deps, run, walk);
  await documents.skipTo(null);
  return resultOf(run);
}

export function resultOf(run: VerificationRun): Verification {
  const { problems, problemAccounts } = run;
  return { ...run.counts(), problems, problemAccounts: [...problemAccounts] };
}

async function addCommit(
  deps: VerifyJournalDeps,
  run: VerificationRun,
  documents: JournalDocuments,
  { walk: current, commit }: { readonly walk: AccountWalk | null; readonly commit: StoredCommit },
): Promise<AccountWalk> {
  const accountId = accountOf(commit);
  let walk = current;
  if (walk?.accountId !== accountId) {
    if (walk) await finishWalk(deps, run, walk);
    await documents.skipTo(accountId);
    run.addAccount();
    const { journal, prices } = deps;
    const { report } = run;
    walk = startWalk({ journal, prices: prices.book, report }, await documents.of(accountId));
  }
  await walk.add(commit);
  return walk;
}

/** Counts what the walk checked, and stores where the next one can start. */
export async function finishWalk(
  { checkpoints, now }: Pick<VerifyJournalDeps, 'checkpoints' | 'now'>,
  run: VerificationRun,
  walk: AccountWalk,
): Promise<void> {
  const { entries, checkpoint } = await walk.finish();
  run.addEntries(entries);
  if (checkpoint) await checkpoints?.saveCheckpoint(checkpoint, now());
}

/** What is stored beside the commits, in the order of their scan. */
interface JournalDocuments {
  /** Reports the documents of accounts before this one, which have no commits; of all when null. */
  skipTo(accountId: AccountId | null): Promise<void>;
  of(accountId: AccountId): Promise<AccountDocuments>;
}

function openDocuments(
  { journal, snapshots, usage }: VerifyJournalDeps,
  run: VerificationRun,
): JournalDocuments {
  const stored = createPeekQueue(snapshots.scanSnapshots());
  const rolledUp = openUsageScan(usage);

  /** An account may have got its first commit after the scan had passed it. */
  async function reportOrphan(accountId: AccountId, seq: number, problem: string): Promise<void> {
    const [first] = await journal.readCommits(accountId, null, 1);
    if (!first) run.report({ accountId, seq, problem });
  }
  return {
    async skipTo(accountId) {
      for (let next = await stored.peek(); next; next = await stored.peek()) {
        const { accountId: owner, lastSeq } = next.account;
        if (accountId !== null && owner >= accountId) break;
        await stored.take();
        await reportOrphan(owner, lastSeq, 'journal ends before its snapshot');
      }
      await rolledUp.skipTo(accountId, (day) =>
        reportOrphan(day.accountId, day.throughSeq, 'usage roll-up without entries'),
      );
    },
    async of(accountId) {
      const next = await stored.peek();
      const snapshot = next?.account.accountId === accountId ? await stored.take() : null;
      return { accountId, start: null, snapshot, ...rolledUp.of(accountId) };
    },
  };
}
