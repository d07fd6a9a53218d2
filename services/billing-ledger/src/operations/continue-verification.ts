import type { AccountId } from '@inventory/contracts/ids';
import { dayOf } from '../domain/usage.ts';
import type { CheckpointStore } from '../storage/checkpoint-store.ts';
import type { StoredCommit } from '../storage/commit-document.ts';
import type { Journal } from '../storage/journal.ts';
import type { Snapshot } from '../storage/snapshot-document.ts';
import type { SnapshotStore } from '../storage/snapshot-store.ts';
import type { UsageStore } from '../storage/usage-store.ts';
import { createPeekQueue } from './peek-queue.ts';
import { startRun, type VerificationRun, type VerificationRunOptions } from './verification-run.ts';
import {
  finishWalk,
  resultOf,
  type Verification,
  type VerifyJournalDeps,
} from './verify-journal.ts';
import { startWalk } from './walk-account.ts';

export interface ContinueVerificationDeps
  extends Omit<VerifyJournalDeps, 'journal' | 'snapshots' | 'usage'> {
  readonly journal: Pick<Journal, 'listActiveAccounts' | 'scanAccount' | 'readCommits'>;
  readonly snapshots: Pick<SnapshotStore, 'findStored'>;
  readonly usage: Pick<UsageStore, 'scanDaysOf' | 'findPosition'>;
  readonly checkpoints: CheckpointStore;
}

export interface ContinueOptions extends VerificationRunOptions {
  /** Accounts active since then are verified, each from its checkpoint. */
  readonly sinceMs: number;
  /** Accounts that the last verification found problems of. */
  readonly problemAccounts: readonly string[];
}

const activitiesPerPage = 10_000;

/**
 * Verifies the accounts that changed since the last verification, each from its signed checkpoint:
 * what lies before a checkpoint was verified and is only bound to it by the chain of hashes.
 */
export async function continueVerification(
  deps: ContinueVerificationDeps,
  options: ContinueOptions,
): Promise<Verification> {
  await deps.prices.reload();
  const run = startRun(options);
  const active = await activeAccounts(deps, options.sinceMs, run);
  for (const accountId of options.problemAccounts) active.add(accountId as AccountId);
  for (const accountId of [...active].sort()) {
    run.addAccount();
    await verifyAccount(deps, run, accountId);
  }
  return resultOf(run);
}

async function activeAccounts(
  { journal }: ContinueVerificationDeps,
  sinceMs: number,
  run: VerificationRun,
): Promise<Set<AccountId>> {
  const active = new Set<AccountId>();
  for (let from = sinceMs; ; ) {
    const page = await journal.listActiveAccounts(from, activitiesPerPage);
    for (const { accountId } of page) active.add(accountId);
    if (page.length < activitiesPerPage) return active;
    // A page that is all of one millisecond is followed by the next millisecond.
    from = Math.max(page.at(-1)?.at ?? from, from + 1);
    await run.yieldToEventLoop();
  }
}

async function verifyAccount(
  deps: ContinueVerificationDeps,
  run: VerificationRun,
  accountId: AccountId,
): Promise<void> {
  const found = await deps.checkpoints.findCheckpoint(accountId);
  if (found === 'invalid') {
    run.report({ accountId, seq: null, problem: 'checkpoint signature invalid' });
  }
  const checkpoint = found === 'invalid' ? null : found;
  if (checkpoint && (await walkFrom(deps, run, accountId, checkpoint))) return;
  await walkFrom(deps, run, accountId, null);
}

/** False where the checkpoint is not the one of its commit: that is reported. */
async function walkFrom(
  deps: ContinueVerificationDeps,
  run: VerificationRun,
  accountId: AccountId,
  start: Snapshot | null,
): Promise<boolean> {
  const { journal, snapshots, usage, prices } = deps;
  const snapshot = await snapshots.findStored(accountId);
  const position = await usage.findPosition(accountId);
  const day = start ? dayOf(start.account.lastAt) + 1 : 0;
  const documents = {
    accountId,
    start,
    snapshot,
    days: createPeekQueue(usage.scanDaysOf(accountId, day)),
    rolledUpSeq: position?.throughSeq ?? 0,
  };
  const walk = startWalk({ journal, prices: prices.book, report: run.report }, documents);
  let isAnchored = start === null;
  for await (const bytes of journal.scanAccount(accountId, start?.head.commitId ?? null)) {
    const commit = run.read(bytes);
    if (commit && isAnchored) await walk.add(commit);
    else if (commit && start && isAnchor(commit, start)) isAnchored = true;
    else if (start && !isAnchored) break;
    await run.yieldToEventLoop();
  }
  if (!isAnchored) {
    const seq = start?.account.lastSeq ?? null;
    run.report({ accountId, seq, problem: 'checkpoint does not match its commit' });
    return false;
  }
  await finishWalk(deps, run, walk);
  return true;
}

function isAnchor(commit: StoredCommit, { account, head }: Snapshot): boolean {
  return (
    commit.isIntact &&
    commit.id === head.commitId &&
    commit.hash === head.hash &&
    commit.lastSeq === account.lastSeq
  );
}
