/** A read of an inventory. */
export interface InventoryRead {
  readonly inventory: string;
  /** Of a live page, not of a scan. */
  readonly isLive: boolean;
}

/** A page request that waits for an egress slot. */
export interface SlotRequest {
  readonly accountId: string;
  readonly inventory: string;
  /** When it is due: at once or by the deadline of its scan; null for a live page. */
  readonly deadlineMs: number | null;
  /** Identities that must not be used for it. */
  readonly avoid: readonly string[];
  /** Those of them that made no connection for it: used again where every other one is paused. */
  readonly unreachable: readonly string[];
  /** Text of a live page: requests of the same one share a slot. Absent for a scan. */
  readonly page?: string;
  /** When its client leaves, on the monotonic clock; absent for a scan. */
  readonly respondByMs?: number;
}

/** One in the queue of its replica. */
export interface WaitingRequest extends SlotRequest {
  /** Grows with every request. */
  readonly order: number;
}

/** What the requests of a replica that wait for a slot are, to the other replicas. */
export interface SlotClaim {
  /** Whether a live page waits. */
  readonly isLive: boolean;
  /** The earliest deadline of its scans; null where none waits. */
  readonly deadlineMs: number | null;
}

/** The part of the plan that concerns slots. */
export interface SlotRules {
  /** Scans with a deadline up to this time read first; null while none is urgent. */
  readonly urgentUntilMs: number | null;
  /** Part of the slots that live pages get at least while scans are urgent. */
  readonly liveShare: number;
}

/** How the identities are used. */
export interface InUse {
  /** Identities that are not paused. */
  readonly active: readonly string[];
  /** In flight through any identity, of any replica. */
  readonly reads: readonly InventoryRead[];
}

/** What decides which requests an identity may serve. */
export interface SlotUse extends InUse {
  readonly identityId: string;
}

/** The slot of a free identity. */
export interface FreeSlot extends SlotUse {
  /** Slots that live pages are owed, at most one; below zero they have had more than their part. */
  readonly liveCredit: number;
  /** Whether the slot can be left to requests that are more urgent, also of other replicas. */
  readonly canWait: boolean;
  /** Of the other replicas, where they wait for this slot. */
  readonly claims: readonly SlotClaim[];
  /** Whether this replica had the identity last. */
  readonly wasOwn: boolean;
}

/** Decides which waiting request gets the next free slot. */
export interface SlotOrder {
  /** Undefined where no request waits for this slot, or another replica is before those that do. */
  next<Request extends WaitingRequest>(
    requests: readonly Request[],
    rules: SlotRules,
    slot: FreeSlot,
  ): SlotGrant<Request> | undefined;
  /** Records that a request got a slot. */
  served(request: SlotRequest): void;
  /** Drops the history: no request waits. */
  clear(): void;
}

export interface SlotGrant<Request> {
  readonly request: Request;
  /** The identity's credit of live pages once the request has the slot. */
  readonly liveCredit: number;
}

/** Live pages precede scans, up to this part of the slots while scans wait. */
const liveShareMax = 0.8;
const liveCreditMax = 1;

const isLive = ({ deadlineMs }: SlotRequest) => deadlineMs === null;
const isScan = (request: SlotRequest) => !isLive(request);

function isUrgent({ deadlineMs }: SlotRequest, { urgentUntilMs }: SlotRules): boolean {
  return urgentUntilMs !== null && deadlineMs !== null && deadlineMs <= urgentUntilMs;
}

/**
 * The platform refuses two reads of an inventory within seconds. A scan has one page in flight by its
 * lease, also after the last page of a worker that was lost.
 */
function meetsAnother(request: SlotRequest, { reads }: SlotUse): boolean {
  return reads.some(
    ({ inventory, isLive: isOfLive }) =>
      inventory === request.inventory && (isOfLive || isLive(request)),
  );
}

function mayUse(request: SlotRequest, slot: SlotUse): boolean {
  if (meetsAnother(request, slot)) return false;
  const { avoid, unreachable } = request;
  if (!avoid.includes(slot.identityId)) return true;
  return (
    unreachable.includes(slot.identityId) && slot.active.every((other) => avoid.includes(other))
  );
}

/**
 * Whether a request is served by the slot of another one: the platform refuses two reads of an inventory
 * within seconds, and what one of them reads now is what the other would read after it.
 */
export function sharesSlot(request: SlotRequest, taken: SlotRequest, identityId: string): boolean {
  return (
    taken.page !== undefined && request.page === taken.page && !request.avoid.includes(identityId)
  );
}

/** What waits for the slots of an identity; null where nothing does. */
export function claimOf(requests: readonly SlotRequest[], slot: SlotUse): SlotClaim | null {
  const usable = requests.filter((request) => mayUse(request, slot));
  if (usable.length === 0) return null;
  return { isLive: usable.some(isLive), deadlineMs: earliestOf(usable) };
}

function earliestOf(requests: readonly { readonly deadlineMs: number | null }[]): number | null {
  const deadlines = requests.flatMap(({ deadlineMs }) => deadlineMs ?? []);
  return deadlines.length === 0 ? null : Math.min(...deadlines);
}

export function createSlotOrder(): SlotOrder {
  const lastServed = new Map<string, number>();
  let served = 0;

  /** Urgent scans by deadline; the others round-robin by account, and by deadline within one. */
  function nextScan<Request extends WaitingRequest>(
    scans: readonly Request[],
    rules: SlotRules,
  ): Request | undefined {
    const urgent = scans.filter((request) => isUrgent(request, rules));
    if (urgent.length > 0) return first(urgent, byDeadline);
    return first(scans, (left, right) => byRotation(left, right) || byDeadline(left, right));
  }

  const byRotation = (left: SlotRequest, right: SlotRequest) =>
    (lastServed.get(left.accountId) ?? 0) - (lastServed.get(right.accountId) ?? 0);

  return {
    /**
     * Scans add their part to the credit of live pages, and a live page takes one slot from it. A
     * live page costs nothing where no scan could have used the slot. While scans are urgent, a slot
     * that can wait is for them: one may request its next page in a moment, or on another replica. Of
     * several replicas the one with the earliest deadline has the slot, and live pages alternate.
     */
    next(requests, rules, slot) {
      const usable = requests.filter((request) => mayUse(request, slot));
      const isLiveElsewhere = slot.claims.some((claim) => claim.isLive);
      const earliestElsewhere = earliestOf(slot.claims);
      const scan = nextScan(usable.filter(isScan), rules);
      const live = first(
        usable.filter(isLive),
        (left, right) => byRotation(left, right) || left.order - right.order,
      );
      const isKept = rules.urgentUntilMs !== null && slot.canWait;
      const share = rules.urgentUntilMs === null ? liveShareMax : rules.liveShare;
      const { liveCredit } = slot;
      const isContested = scan !== undefined || isKept || earliestElsewhere !== null;
      if (live && (liveCredit >= 0 || !isContested)) {
        if (isLiveElsewhere && slot.wasOwn) return undefined;
        return { request: live, liveCredit: isContested ? liveCredit + share - 1 : liveCredit };
      }
      if (!scan || (isKept && !isUrgent(scan, rules))) return undefined;
      if (isLiveElsewhere && liveCredit >= 0) return undefined;
      const earliest = earliestOf(usable) ?? 0;
      if (earliestElsewhere !== null && earliestElsewhere < earliest) return undefined;
      return { request: scan, liveCredit: Math.min(liveCreditMax, liveCredit + share) };
    },
    served(request) {
      served += 1;
      lastServed.delete(request.accountId);
      lastServed.set(request.accountId, served);
    },
    clear() {
      lastServed.clear();
    },
  };
}

function byDeadline(left: WaitingRequest, right: WaitingRequest): number {
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
