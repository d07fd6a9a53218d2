import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { addUsage, listUsage, type Usage, type UsageRow } from '../domain/usage.ts';
import type { StoredCommit } from '../storage/commit-document.ts';
import type { Journal } from '../storage/journal.ts';

export interface UsageSpan {
  /** Milliseconds since the epoch; `fromMs` is in it, `endMs` is not. */
  readonly fromMs: number;
  readonly endMs: number;
  /** Null for all Projects. */
  readonly projectId: ProjectId | null;
}

/** `too_much`: more entries or rows than one report may have. */
export type UsageResult =
  | { readonly result: 'read'; readonly rows: readonly UsageRow[] }
  | { readonly result: 'too_much' };

export type ReadUsage = (accountId: AccountId, span: UsageSpan) => Promise<UsageResult>;

export interface UsageLimits {
  readonly entriesMax: number;
  readonly rowsMax: number;
}

type UsageJournal = Pick<Journal, 'findNewestCommit' | 'findCommitAt' | 'readCommits'>;

const commitsPerRead = 50;

/** What was used in a span, summed up from the entries of the span and no others. */
export function createReadUsage(journal: UsageJournal, limits: UsageLimits): ReadUsage {
  return async (accountId, span) => {
    const usage: Usage = new Map();
    let from = await firstCommitSince(journal, accountId, span.fromMs);
    let entries = 0;
    while (from !== null) {
      const page = await journal.readCommits(accountId, from, commitsPerRead);
      const last = page.at(-1);
      // Reading on begins with the commit that was read last.
      for (const commit of entries === 0 ? page : page.slice(1)) {
        addCommit(usage, commit, span);
        entries += commit.entries.length;
      }
      if (entries > limits.entriesMax || usage.size > limits.rowsMax) return { result: 'too_much' };
      const isThrough = page.length < commitsPerRead || (last?.at ?? 0) >= span.endMs;
      from = isThrough ? null : (last?.id ?? null);
    }
    return { result: 'read', rows: listUsage(usage) };
  };
}

function addCommit(usage: Usage, commit: StoredCommit, span: UsageSpan): void {
  const { fromMs, endMs, projectId } = span;
  for (const entry of commit.entries) {
    const isMeant = projectId === null || entry.projectId === projectId;
    if (isMeant && entry.at >= fromMs && entry.at < endMs) addUsage(usage, entry);
  }
}

/**
 * The id of the first commit that ends at a time or after it; null when there is none. Times
 * increase with positions, so it is found by halving, without an index that every commit would pay
 * for.
 */
async function firstCommitSince(
  journal: UsageJournal,
  accountId: AccountId,
  timeMs: number,
): Promise<string | null> {
  const newest = await journal.findNewestCommit(accountId);
  if (newest === null || newest.at < timeMs) return null;
  let found = { id: newest.id, firstSeq: newest.firstSeq };
  let lowest = 1;
  while (lowest < found.firstSeq) {
    const middle = Math.floor((lowest + found.firstSeq) / 2);
    const commit = await journal.findCommitAt(accountId, middle);
    if (commit === null) break;
    if (commit.at >= timeMs) found = commit;
    else lowest = commit.firstSeq + commit.entries;
  }
  return found.id;
}
