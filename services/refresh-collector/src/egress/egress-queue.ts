import {
  claimOf,
  createSlotOrder,
  type FreeSlot,
  type InventoryRead,
  type SlotClaim,
  type SlotRequest,
  type SlotRules,
  type SlotUse,
  sharesSlot,
  type WaitingRequest,
} from './slot-order.domain.ts';

/** A request that was taken from the queue and not served yet. */
export interface TakenRequest<Slot> {
  /** The identity's credit of live pages once this request has its slot. */
  readonly liveCredit: number;
  readonly read: InventoryRead;
  /**
   * Gives the slot to the request and to all that share it, the one with the most time left first.
   * False when the request was aborted meanwhile; the slot is then unused.
   */
  serve(slot: Slot): boolean;
  /** Puts the request back, at its old position. */
  requeue(): void;
}

/** Requests of this replica that wait for an egress slot, served in the order of the plan. */
export interface EgressQueue<Slot> {
  /** The slot, or undefined when the signal is aborted first. */
  wait(request: SlotRequest, signal: AbortSignal): Promise<Slot | undefined>;
  takeNext(free: FreeSlot): TakenRequest<Slot> | undefined;
  /** What waits for the slots of an identity; null where nothing does. */
  claimOf(slot: SlotUse): SlotClaim | null;
  readonly size: number;
}

interface Entry<Slot> extends WaitingRequest {
  settled: boolean;
  readonly settle: (slot: Slot | undefined) => void;
}

export function createEgressQueue<Slot>(rules: () => SlotRules): EgressQueue<Slot> {
  const waiting = new Set<Entry<Slot>>();
  const slots = createSlotOrder();
  let order = 0;

  return {
    wait(request, signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const abandon = () => entry.settle(undefined);
        order += 1;
        const entry: Entry<Slot> = {
          ...request,
          order,
          settled: false,
          settle(slot) {
            entry.settled = true;
            signal.removeEventListener('abort', abandon);
            waiting.delete(entry);
            resolve(slot);
          },
        };
        signal.addEventListener('abort', abandon, { once: true });
        waiting.add(entry);
      });
    },
    takeNext(free) {
      const turn = slots.next([...waiting], rules(), free);
      if (!turn) return undefined;
      const { request: entry, liveCredit } = turn;
      waiting.delete(entry);
      return {
        liveCredit,
        read: { inventory: entry.inventory, isLive: entry.deadlineMs === null },
        serve(slot) {
          if (entry.settled) return false;
          slots.served(entry);
          const sharing = [...waiting].filter((one) => sharesSlot(one, entry, free.identityId));
          // In this order they continue: the first one sends the request, with the time that it has.
          for (const one of [entry, ...sharing].toSorted(byTimeLeft)) one.settle(slot);
          if (waiting.size === 0) slots.clear();
          return true;
        },
        requeue() {
          if (!entry.settled) waiting.add(entry);
        },
      };
    },
    claimOf: (slot) => claimOf([...waiting], slot),
    get size() {
      return waiting.size;
    },
  };
}

function byTimeLeft(left: SlotRequest, right: SlotRequest): number {
  return (right.respondByMs ?? 0) - (left.respondByMs ?? 0);
}
