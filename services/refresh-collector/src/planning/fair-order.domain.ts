import type { AppGate } from './app-gate.domain.ts';
import type { PlanRules } from './plan-rules.domain.ts';
import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import {
  compare,
  type QueuedAccount,
  type QueuedRefresh,
  type QueuePosition,
} from './queued-refreshes.domain.ts';
import type { Reservations } from './reservations.domain.ts';

/** A queued refresh in its order, with the pages to expect of it. */
export interface Candidate extends QueuedRefresh {
  readonly pages: number;
  readonly isSizeKnown: boolean;
}

/** A plan while it is made: what it is of, and what it has reserved so far. */
export interface OpenPlan {
  readonly snapshot: QueueSnapshot;
  /** Started scans that are in time, parked ones included. */
  readonly scans: readonly StartedScan[];
  readonly gate: AppGate;
  readonly reservations: Reservations;
  readonly rules: PlanRules;
}

/** How far an account has come in its order. */
interface AccountProgress {
  readonly account: QueuedAccount;
  /** Candidates of it so far. */
  readonly candidates: number;
  /** Pages of it that are read by then: running scans, and its candidates. */
  readonly pagesOfAccount: number;
  readonly lastStartMs: number;
}

interface NextCandidate extends AccountProgress {
  readonly candidate: Candidate;
}

/**
 * Accounts round-robin, by pages: an account whose pages are no more than its part of the capacity is
 * before what exceeds the part of another. Within an account by queue deadline, without blocked ones.
 * The runs of watches, of all accounts, are after everything else.
 * Computed as far as it is read.
 */
export function* inFairOrder(
  { snapshot, gate, rules }: OpenPlan,
  /** Scans that run. */
  active: readonly StartedScan[],
  /** Refreshes that cannot start now. */
  isBlocked: (refresh: QueuedRefresh) => boolean,
): Generator<Candidate> {
  const { queued, typicalPages } = snapshot;
  const activePages = new Map<string, number>();
  for (const { accountId, pagesLeft } of active) {
    activePages.set(accountId, (activePages.get(accountId) ?? 0) + pagesLeft);
  }
  const heads: NextCandidate[] = [];
  const add = (position: QueuePosition, of: AccountProgress) => {
    const refresh = of.account.firstAfter(position, gate.admits, isBlocked);
    if (!refresh) return;
    const candidate = candidateOf(refresh, typicalPages);
    push(heads, {
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
  for (let next = pop(heads); next; next = pop(heads)) {
    yield next.candidate;
    if (next.candidates < rules.scansPerAccountMax) add(next.candidate, next);
  }
}

function candidateOf(refresh: QueuedRefresh, typicalPages: number): Candidate {
  const { expectedPages } = refresh;
  return { ...refresh, pages: expectedPages ?? typicalPages, isSizeKnown: expectedPages !== null };
}

function isBefore(left: NextCandidate, right: NextCandidate): boolean {
  const { isWatch: leftLast = false } = left.candidate;
  const { isWatch: rightLast = false } = right.candidate;
  if (leftLast !== rightLast) return rightLast;
  const byAccount =
    left.pagesOfAccount - right.pagesOfAccount || left.lastStartMs - right.lastStartMs;
  return (byAccount || compare(left.candidate, right.candidate)) < 0;
}

/** A binary heap, the first candidate at its root. */
function push(heap: NextCandidate[], next: NextCandidate): void {
  let at = heap.push(next) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (!above || !isBefore(next, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = next;
}

function pop(heap: NextCandidate[]): NextCandidate | undefined {
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
