import {
  createSlotOrder,
  isUrgent,
  type SlotRequest,
  type SlotRules,
} from './slot-order.domain.ts';

/** A request that was taken from the queue and not served yet. */
export interface TakenRequest<Slot> {
  /** False when the request was aborted meanwhile; the slot is then unused. */
  serve(slot: Slot): boolean;
  /** Puts the request back, at its old position. */
  requeue(): void;
}

/** Requests of this replica that wait for an egress slot, served in the order of the plan. */
export interface EgressQueue<Slot> {
  /** The slot, or undefined when the signal is aborted first. */
  wait(request: Omit<SlotRequest, 'order'>, signal: AbortSignal): Promise<Slot | undefined>;
  /**
   * Takes the next request for this identity. While its slot `canWait`, it is reserved for urgent
   * scans, also of other replicas.
   */
  takeNext(identityId: string, canWait: boolean): TakenRequest<Slot> | undefined;
  readonly size: number;
}

interface Entry<Slot> extends SlotRequest {
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
    takeNext(identityId, canWait) {
      const present = rules();
      const usable = [...waiting].filter(({ avoid }) => !avoid.includes(identityId));
      const entry = slots.next(usable, present);
      if (!entry || (canWait && yields(entry, present))) return undefined;
      waiting.delete(entry);
      const isLive = entry.deadlineMs === null;
      return {
        serve(slot) {
          if (entry.settled) return false;
          slots.served(
            entry,
            usable.some(({ deadlineMs }) => (deadlineMs === null) !== isLive),
          );
          if (waiting.size === 0) slots.clear();
          entry.settle(slot);
          return true;
        },
        requeue() {
          if (!entry.settled) waiting.add(entry);
        },
      };
    },
    get size() {
      return waiting.size;
    },
  };
}

function yields(request: SlotRequest, rules: SlotRules): boolean {
  return rules.urgentUntilMs !== null && request.deadlineMs !== null && !isUrgent(request, rules);
}
