import { setImmediate } from 'node:timers/promises';
import type { AccountId } from '@inventory/contracts/ids';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import {
  type CommitDocument,
  readCommit,
  type StoredCommit,
  UnreadableCommit,
  unlessBroken,
} from '../journal/commit-document.ts';
import type { Journal } from '../journal/journal-store.ts';
import type { PriceListCache } from '../prices/price-lists.ts';
import type { StoredSnapshot } from '../snapshots/snapshot-document.ts';
import type { UsageStore } from '../usage/usage-store.ts';
import { type AccountCheck, startAccountCheck } from './account-check.ts';
import { createPeekQueue } from './peek-queue.ts';
import { openUsageScan } from './usage-check.ts';
import type { JournalProblem } from './verification-store.ts';

/** What has been verified. */
export interface VerifiedCounts {
  readonly accounts: number;
  readonly entries: number;
}

export interface Verification extends VerifiedCounts {
  readonly problems: JournalProblem[];
}

export interface VerifiedStores {
  readonly journal: Journal;
  readonly snapshots: { scanSnapshots(): AsyncIterable<StoredSnapshot> };
  readonly usage: UsageStore;
  readonly prices: PriceListCache;
}

/** Called after each slice of {@link sliceMs}. */
export type OnProgress = (counts: VerifiedCounts) => void;

/** Only the first ones are recorded. */
const problemsMax = 1_000;
const sliceMs = 10;

/**
 * Folds every account from its first entry and compares all that is stored beside the entries:
 * balances, hashes, keys, snapshots, roll-ups. It holds one account in memory, writes nothing and
 * may run beside writers.
 */
export async function verifyJournal(
  stores: VerifiedStores,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<Verification> {
  const { journal, prices } = stores;
  const problems: JournalProblem[] = [];
  const report = (problem: JournalProblem) => {
    if (problems.length < problemsMax) problems.push(problem);
  };
  let accounts = 0;
  let entries = 0;
  let check: AccountCheck | null = null;
  let sliceStartMs = monotonicNow();

  const documents = scanDocuments(stores, report);
  for await (const document of journal.scanCommits()) {
    const commit = readOrReport(document, report);
    if (commit) {
      const accountId = accountOf(commit);
      if (check?.accountId !== accountId) {
        entries += (await check?.finish()) ?? 0;
        accounts += 1;
        await documents.skipTo(accountId);
        const found = await documents.of(accountId);
        check = startAccountCheck(found, journal, prices, report);
      }
      await check.add(commit);
    }
    if (elapsedSince(sliceStartMs) < sliceMs) continue;
    onProgress({ accounts, entries });
    await setImmediate();
    signal.throwIfAborted();
    sliceStartMs = monotonicNow();
  }
  entries += (await check?.finish()) ?? 0;
  await documents.skipTo(null);
  return { accounts, entries, problems };
}

/** Null for a document that is no commit. */
function readOrReport(
  document: CommitDocument,
  report: (problem: JournalProblem) => void,
): StoredCommit | null {
  try {
    return readCommit(document);
  } catch (error) {
    if (!(error instanceof UnreadableCommit)) throw error;
    report({ accountId: error.accountId, seq: null, problem: error.message });
    return null;
  }
}

/** The account that a commit is stored under, whatever it states. */
function accountOf({ id }: StoredCommit): AccountId {
  return id.slice(0, id.indexOf('/')) as AccountId;
}

/** What is stored beside the commits, in the order of their scan. */
function scanDocuments(
  { journal, snapshots, usage }: VerifiedStores,
  report: (problem: JournalProblem) => void,
) {
  const stored = createPeekQueue(snapshots.scanSnapshots());
  const rolledUp = openUsageScan(usage);

  /** An account may have got its first commit after the scan had passed it. */
  async function reportOrphan(accountId: AccountId, seq: number, problem: string): Promise<void> {
    const [first] = await unlessBroken(journal.readCommits(accountId, null, 1));
    if (!first) report({ accountId, seq, problem });
  }
  return {
    /** Reports the documents of accounts before this one, which have no commits; of all when null. */
    async skipTo(accountId: AccountId | null): Promise<void> {
      for (let next = await stored.peek(); next; next = await stored.peek()) {
        const { accountId: owner, lastSeq } = next;
        if (accountId !== null && owner >= accountId) break;
        await stored.take();
        await reportOrphan(owner, lastSeq, 'journal ends before its snapshot');
      }
      await rolledUp.skipTo(accountId, (owner, throughSeq) =>
        reportOrphan(owner, throughSeq, 'journal ends before its usage roll-up'),
      );
    },
    async of(accountId: AccountId) {
      const next = await stored.peek();
      const own = next?.accountId === accountId ? await stored.take() : null;
      return { accountId, stored: own, ...rolledUp.of(accountId) };
    },
  };
}
