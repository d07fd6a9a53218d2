import type { AccountId } from '@inventory/contracts/ids';
import type { StatementRow, statementPage } from '@inventory/contracts/internal/ledger';
import type { z } from 'zod';
import type { Entry } from '../accounts/entry.domain.ts';
import { requireIntact } from './commit-document.ts';
import type { Journal } from './journal-store.ts';

export interface Statement {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

export type ReadStatement = (
  accountId: AccountId,
  afterSeq: number,
  limit: number,
) => Promise<Statement>;

const commitsPerReadMax = 64;

/** Entries after a position, oldest first, as they lie in the journal. Rejects with BrokenJournal. */
export function createReadStatement(journal: Journal): ReadStatement {
  return async (accountId, afterSeq, limit) => {
    const start = await journal.findCommitAt(accountId, afterSeq + 1);
    if (start === null) return { entries: [], hasMore: false };
    const entries: Entry[] = [];
    let from = start.id;
    let isThrough = false;
    while (!isThrough && entries.length <= limit) {
      // A commit has one to some hundred entries; its neighbours are mostly like it.
      const size = commitsFor(limit + 1 - entries.length, start.entries);
      const page = await journal.readCommits(accountId, from, size);
      const fresh = requireIntact(from === start.id ? page : page.slice(1));
      entries.push(...fresh.flatMap((commit) => commit.entries).filter(isAfter(afterSeq)));
      from = page.at(-1)?.id ?? from;
      isThrough = page.length < size;
    }
    return { entries: entries.slice(0, limit), hasMore: entries.length > limit };
  };
}

/** At least two: reading on begins with the commit that was read last. */
function commitsFor(entries: number, entriesPerCommit: number): number {
  return Math.min(Math.ceil(entries / entriesPerCommit) + 1, commitsPerReadMax);
}

function isAfter(seq: number): (entry: Entry) => boolean {
  return (entry) => entry.seq > seq;
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
