import type { AccountId } from '@inventory/contracts/ids';
import type { Entry } from '../domain/entry.ts';
import type { Journal } from '../storage/journal.ts';

export interface Statement {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

export type ReadStatement = (
  accountId: AccountId,
  part: { readonly afterSeq: number; readonly limit: number },
) => Promise<Statement>;

const commitsPerReadMax = 64;

/** Entries after a position, oldest first, as they lie in the journal. */
export function createReadStatement(journal: Pick<Journal, 'holding' | 'readFrom'>): ReadStatement {
  return async (accountId, { afterSeq, limit }) => {
    const startId = await journal.holding(accountId, afterSeq + 1);
    if (startId === null) return { entries: [], hasMore: false };
    const entries: Entry[] = [];
    let from = startId;
    // A commit has one to some hundred entries: reads grow until they are enough.
    for (let size = 2; entries.length <= limit; size = Math.min(size * 2, commitsPerReadMax)) {
      const page = await journal.readFrom(accountId, from, size);
      const fresh = from === startId ? page : page.slice(1);
      entries.push(...fresh.flatMap((commit) => commit.entries).filter(isAfter(afterSeq)));
      from = page.at(-1)?.id ?? from;
      if (page.length < size) break;
    }
    return { entries: entries.slice(0, limit), hasMore: entries.length > limit };
  };
}

function isAfter(seq: number): (entry: Entry) => boolean {
  return (entry) => entry.seq > seq;
}
