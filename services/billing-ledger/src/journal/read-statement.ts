import type { AccountId } from '@inventory/contracts/ids';
import type { StatementRow, statementPage } from '@inventory/contracts/internal/ledger';
import type { z } from 'zod';
import type { Entry } from '../accounts/entry.domain.ts';
import { requireIntact } from './commit-document.ts';
import type { CommitPosition, Journal } from './journal-store.ts';

export interface Statement {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

export interface StatementRange {
  /** Only entries after this position. */
  readonly afterSeq: number;
  /** Only those that were booked then or later, and before then. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export type ReadStatement = (
  accountId: AccountId,
  range: StatementRange,
  limit: number,
) => Promise<Statement>;

const commitsPerReadMax = 64;
/** After every entry of an account. */
const lastSeqMax = 10 ** 12 - 1;

/** Entries after a position, oldest first, as they lie in the journal. Rejects with BrokenJournal. */
export function createReadStatement(journal: Journal): ReadStatement {
  return async (accountId, { afterSeq, from = 0, to = Infinity }, limit) => {
    const start = await findStart(journal, accountId, afterSeq, from);
    if (start === null) return { entries: [], hasMore: false };
    const isWanted = ({ seq, atMs }: Entry) => seq > afterSeq && atMs >= from && atMs < to;
    const entries: Entry[] = [];
    let fromId = start.id;
    let isThrough = false;
    while (!isThrough && entries.length <= limit) {
      // A commit has one to some hundred entries; its neighbours are mostly like it.
      const size = commitsFor(limit + 1 - entries.length, start.lastSeq - start.firstSeq + 1);
      const page = await journal.readCommits(accountId, fromId, size);
      const fresh = requireIntact(fromId === start.id ? page : page.slice(1));
      entries.push(...fresh.flatMap((commit) => commit.entries).filter(isWanted));
      const last = page.at(-1);
      fromId = last?.id ?? fromId;
      isThrough = page.length < size || (last?.atMs ?? 0) >= to;
    }
    return { entries: entries.slice(0, limit), hasMore: entries.length > limit };
  };
}

/**
 * The commit with the first entry after a position that was booked then or later; null where none was.
 * Times grow along a journal, so it is found by halving: twenty reads of an index for a million commits.
 */
async function findStart(
  journal: Journal,
  accountId: AccountId,
  afterSeq: number,
  fromMs: number,
): Promise<CommitPosition | null> {
  const next = await journal.findCommitAt(accountId, afterSeq + 1);
  if (next === null || next.atMs >= fromMs) return next;
  let found = await journal.findCommitAt(accountId, lastSeqMax);
  if (found === null || found.atMs < fromMs) return null;
  let { lastSeq: early } = next;
  while (found.firstSeq > early + 1) {
    const middle = early + Math.floor((found.firstSeq - early) / 2);
    const commit: CommitPosition | null = await journal.findCommitAt(accountId, middle);
    if (commit === null || commit.atMs < fromMs) early = commit?.lastSeq ?? middle;
    else found = commit;
  }
  return found;
}

/** At least two: reading on begins with the commit that was read last. */
function commitsFor(entries: number, entriesPerCommit: number): number {
  return Math.min(Math.ceil(entries / entriesPerCommit) + 1, commitsPerReadMax);
}

export function statementPageOf(
  accountId: AccountId,
  { entries, hasMore }: Statement,
): z.output<typeof statementPage> {
  return {
    items: entries.map((entry) => rowOf(accountId, entry)),
    nextAfterSeq: hasMore ? (entries.at(-1)?.seq ?? null) : null,
  };
}

function rowOf(accountId: AccountId, entry: Entry): StatementRow {
  const { change, after } = entry;
  return {
    ...entry,
    entryId: `${accountId}/${entry.seq}`,
    changeAvailable: change.available,
    changeHeld: change.held,
    availableAfter: after.available,
    heldAfter: after.held,
    reason: entry.reason ?? entry.refusal?.code ?? null,
  };
}
