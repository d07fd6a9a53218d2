import type { Pending, WorkQueue } from '@inventory/work/work-queue';

/** A work queue in memory, which follows the same rules as one in a collection. */
export interface MemoryQueue<Item> extends WorkQueue<Item> {
  /** What is pending, by id. */
  readonly pending: Map<string, Pending<Item>>;
  add(id: string, item: Item, dueAtMs: number): void;
  /** As `makeDue` of a collection. */
  makeDue(id: string, dueAtMs: number): void;
}

export function createMemoryQueue<Item>(
  keyOf: (item: Item) => string = () => '',
): MemoryQueue<Item> {
  const pending = new Map<string, Pending<Item>>();
  const claimed = new Set<string>();
  const again = new Set<string>();
  const holds = ({ id, tries, dueAtMs }: Pending<Item>) => {
    const now = pending.get(id);
    return now?.tries === tries && now.dueAtMs === dueAtMs;
  };
  return {
    pending,
    add: (id, item, dueAtMs) => void pending.set(id, { id, item, dueAtMs, tries: 0 }),
    makeDue(id, dueAtMs) {
      const now = pending.get(id);
      if (!now) return;
      if (claimed.has(id)) again.add(id);
      else pending.set(id, { ...now, dueAtMs: Math.min(now.dueAtMs, dueAtMs) });
    },
    async findDue(nowMs, limit, exceptKeys = []) {
      const due = [...pending.values()].filter(
        ({ dueAtMs, item }) => dueAtMs <= nowMs && !exceptKeys.includes(keyOf(item)),
      );
      return due.toSorted((left, right) => left.dueAtMs - right.dueAtMs).slice(0, limit);
    },
    async claim(found, _owner, untilMs) {
      if (!holds(found)) return null;
      const own = { ...found, tries: found.tries + 1, dueAtMs: untilMs };
      pending.set(found.id, own);
      claimed.add(found.id);
      again.delete(found.id);
      return own;
    },
    isClaimed: async (own) => holds(own),
    async postpone(own, untilMs) {
      const { id, tries } = own;
      if (holds(own)) pending.set(id, { ...own, tries: tries - 1, dueAtMs: untilMs });
    },
    async settle(own, { nowMs, dueAtMs: wantedMs }) {
      if (!holds(own)) return false;
      const { id } = own;
      const dueAtMs = again.delete(id) ? nowMs : wantedMs;
      claimed.delete(id);
      if (dueAtMs === null) pending.delete(id);
      else pending.set(id, { ...own, tries: 0, dueAtMs });
      return true;
    },
    complete: async ({ id }) => void pending.delete(id),
  };
}
