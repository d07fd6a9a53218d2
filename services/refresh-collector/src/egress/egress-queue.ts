import {
  createSlotOrder,
  isUrgent,
  type SlotRequest,
  type SlotRules,
} from './slot-order.domain.ts';

/** A request that was picked and not yet served. */
export interface PickedRequest<Slot> {
  /** False when the request was given up meanwhile; the slot is then unused. */
  serve(slot: Slot): boolean;
  /** Waits again, at its old place. */
  putBack(): void;
}

/** Requests of this replica that wait for an egress slot, served in the order of the plan. */
export interface EgressQueue<Slot> {
  /** The slot, or undefined when the signal is aborted first. */
  wait(request: Omit<SlotRequest, 'order'>, signal: AbortSignal): Promise<Slot | undefined>;
  /**
   * Takes out the next request for this identity. Where its slot `canWait`, it is left to urgent
   * scans, of another replica too.
   */
  pick(identityId: string, canWait: boolean): PickedRequest<Slot> | undefined;
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
        const giveUp = () => entry.settle(undefined);
        order += 1;
        const entry: Entry<Slot> = {
          ...request,
          order,
          settled: false,
          settle(slot) {
            entry.settled = true;
            signal.removeEventListener('abort', giveUp);
            waiting.delete(entry);
            resolve(slot);
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(entry);
      });
    },
    pick(identityId, canWait) {
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
        putBack() {
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
