/** A page request that waits for an egress slot. */
export interface SlotRequest {
  readonly accountId: string;
  /** When it is due: at once or by the deadline of its scan; null for a live page. */
  readonly deadlineMs: number | null;
  /** Identities that must not be used for it. */
  readonly avoid: readonly string[];
  /** Grows with every request. */
  readonly order: number;
}

/** The part of the plan that concerns slots. */
export interface SlotRules {
  /** Scans with a deadline up to this time read first; null while none is urgent. */
  readonly urgentUntilMs: number | null;
  /** Part of the slots that live pages get at least while scans are urgent. */
  readonly liveShare: number;
}

/** Decides which waiting request gets the next free slot. */
export interface SlotOrder {
  /** Undefined when there is no request. */
  next<Request extends SlotRequest>(
    requests: readonly Request[],
    rules: SlotRules,
  ): Request | undefined;
  /** Records that a request got a slot, and whether one of the other kind was waiting. */
  served(request: SlotRequest, otherKindWaits: boolean): void;
  /** Drops the history: no request waits. */
  clear(): void;
}

/** Live pages precede scans, up to this part of the slots while scans wait. */
const liveShareMax = 0.8;
const historyMax = 40;

export function isUrgent(request: SlotRequest, { urgentUntilMs }: SlotRules): boolean {
  return (
    urgentUntilMs !== null && request.deadlineMs !== null && request.deadlineMs <= urgentUntilMs
  );
}

export function createSlotOrder(): SlotOrder {
  const lastServed = new Map<string, number>();
  let served = 0;
  /** Slots for which both kinds waited. */
  let contested = 0;
  let contestedLive = 0;

  /** Urgent scans by deadline; the others by account in turns, and by deadline within one. */
  function nextScan<Request extends SlotRequest>(
    scans: readonly Request[],
    rules: SlotRules,
  ): Request | undefined {
    const urgent = scans.filter((request) => isUrgent(request, rules));
    if (urgent.length > 0) return first(urgent, byDeadline);
    return first(scans, (left, right) => byTurn(left, right) || byDeadline(left, right));
  }

  const byTurn = (left: SlotRequest, right: SlotRequest) =>
    (lastServed.get(left.accountId) ?? 0) - (lastServed.get(right.accountId) ?? 0);

  return {
    next(requests, rules) {
      const live = requests.filter(({ deadlineMs }) => deadlineMs === null);
      const scan = nextScan(
        requests.filter(({ deadlineMs }) => deadlineMs !== null),
        rules,
      );
      if (live.length === 0) return scan;
      const share = scan && isUrgent(scan, rules) ? rules.liveShare : liveShareMax;
      if (scan && contestedLive >= share * (contested + 1)) return scan;
      return first(live, (left, right) => byTurn(left, right) || left.order - right.order);
    },
    served(request, otherKindWaits) {
      served += 1;
      lastServed.delete(request.accountId);
      lastServed.set(request.accountId, served);
      if (!otherKindWaits) return;
      contested += 1;
      if (request.deadlineMs === null) contestedLive += 1;
      if (contested < historyMax) return;
      contested /= 2;
      contestedLive /= 2;
    },
    clear() {
      lastServed.clear();
    },
  };
}

function byDeadline(left: SlotRequest, right: SlotRequest): number {
  return (left.deadlineMs ?? 0) - (right.deadlineMs ?? 0) || left.order - right.order;
}

function first<Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Item | undefined {
  let best: Item | undefined;
  for (const item of items) if (best === undefined || compare(item, best) < 0) best = item;
  return best;
}
