import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import {
  compare,
  type QueuedAccount,
  type QueuedRefresh,
  type QueuePlace,
} from './queued-refreshes.domain.ts';

/** A queued refresh in its turn, with the pages to expect of it. */
export interface Candidate extends QueuedRefresh {
  readonly pages: number;
  readonly isSizeKnown: boolean;
}

export interface FairOrderOptions {
  readonly snapshot: QueueSnapshot;
  readonly active: readonly StartedScan[];
  /** Refreshes that cannot start now. */
  readonly isBlocked: (refresh: QueuedRefresh) => boolean;
  readonly ofApps: (appId: number) => boolean;
  /** Candidates of one account at most. */
  readonly perAccountMax: number;
}

interface Turn {
  readonly account: QueuedAccount;
  readonly candidate: Candidate;
  /** Of its account, this one included. */
  readonly candidates: number;
  /** Pages of its account that are read by its end: running scans, those before it, its own. */
  readonly pagesOfAccount: number;
  readonly lastStartMs: number;
}

/**
 * Accounts in turns, by pages: an account whose pages are no more than its part of the capacity is
 * before what exceeds the part of another. Within an account by queue deadline, without blocked ones.
 * The runs of watches, of all accounts, are behind everything else.
 * Computed as far as it is read.
 */
export function* inFairOrder(options: FairOrderOptions): Generator<Candidate> {
  const { snapshot, active, isBlocked, ofApps, perAccountMax } = options;
  const { queued, typicalPages } = snapshot;
  const activePages = new Map<string, number>();
  for (const { accountId, pagesLeft } of active) {
    activePages.set(accountId, (activePages.get(accountId) ?? 0) + pagesLeft);
  }
  const turns: Turn[] = [];
  const add = (place: QueuePlace, of: Omit<Turn, 'candidate'>) => {
    const refresh = of.account.firstBehind(place, ofApps, isBlocked);
    if (!refresh) return;
    const candidate = candidateOf(refresh, typicalPages);
    push(turns, {
      ...of,
      candidate,
      candidates: of.candidates + 1,
      pagesOfAccount: of.pagesOfAccount + candidate.pages,
    });
  };
  const overdue = { queueDeadlineMs: snapshot.nowMs, id: '\uffff' };
  for (const account of queued.accounts()) {
    const lastStartMs = snapshot.lastStartMs(account.accountId) ?? 0;
    const pagesOfAccount = activePages.get(account.accountId) ?? 0;
    add(overdue, { account, candidates: 0, pagesOfAccount, lastStartMs });
  }
  for (let turn = pop(turns); turn; turn = pop(turns)) {
    yield turn.candidate;
    if (turn.candidates < perAccountMax) add(turn.candidate, turn);
  }
}

function candidateOf(refresh: QueuedRefresh, typicalPages: number): Candidate {
  const { expectedPages } = refresh;
  return { ...refresh, pages: expectedPages ?? typicalPages, isSizeKnown: expectedPages !== null };
}

function isBefore(left: Turn, right: Turn): boolean {
  const { isWatch: leftLast = false } = left.candidate;
  const { isWatch: rightLast = false } = right.candidate;
  if (leftLast !== rightLast) return rightLast;
  const byTurn = left.pagesOfAccount - right.pagesOfAccount || left.lastStartMs - right.lastStartMs;
  return (byTurn || compare(left.candidate, right.candidate)) < 0;
}

/** A binary heap, the first turn at its root. */
function push(heap: Turn[], turn: Turn): void {
  let at = heap.push(turn) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (!above || !isBefore(turn, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = turn;
}

function pop(heap: Turn[]): Turn | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (!last || !first || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    let below = heap[child];
    const right = heap[child + 1];
    if (below && right && isBefore(right, below)) {
      child += 1;
      below = right;
    }
    if (!below || !isBefore(below, last)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = last;
  return first;
}
