import type { Pending, WorkQueue } from '@inventory/work/work-queue';

/** A work queue in memory, which follows the same rules as one in a collection. */
export interface MemoryQueue<Item> extends WorkQueue<Item> {
  /** What is pending, by id. */
  readonly pending: Map<string, Pending<Item>>;
  add(id: string, item: Item, dueAtMs: number): void;
}

export function createMemoryQueue<Item>(): MemoryQueue<Item> {
  const pending = new Map<string, Pending<Item>>();
  const owners = new Map<string, string>();
  const holds = ({ id, tries, dueAtMs }: Pending<Item>) => {
    const now = pending.get(id);
    return now?.tries === tries && now.dueAtMs === dueAtMs;
  };
  return {
    pending,
    add: (id, item, dueAtMs) =>
      void pending.set(id, { id, item, dueAtMs, tries: 0, ownerBefore: null }),
    async findDue(nowMs, limit) {
      const due = [...pending.values()].filter(({ dueAtMs }) => dueAtMs <= nowMs);
      return due
        .toSorted((left, right) => left.dueAtMs - right.dueAtMs)
        .slice(0, limit)
        .map((found) => ({ ...found, ownerBefore: owners.get(found.id) ?? null }));
    },
    async claim(found, owner, untilMs) {
      if (!holds(found)) return null;
      const claimed = { ...found, tries: found.tries + 1, dueAtMs: untilMs };
      pending.set(found.id, claimed);
      owners.set(found.id, owner);
      return claimed;
    },
    async renew(claimed, untilMs) {
      if (!holds(claimed)) return null;
      const renewed = { ...claimed, dueAtMs: untilMs };
      pending.set(claimed.id, renewed);
      return renewed;
    },
    isClaimed: async (claimed) => holds(claimed),
    async postpone(claimed, untilMs, claim) {
      const tries = claim === 'counts' ? claimed.tries : claimed.tries - 1;
      if (holds(claimed)) pending.set(claimed.id, { ...claimed, tries, dueAtMs: untilMs });
    },
    complete: async ({ id }) => void pending.delete(id),
  };
}
