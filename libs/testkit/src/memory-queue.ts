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
  const owners = new Map<string, string>();
  const again = new Set<string>();
  const holds = ({ id, tries, dueAtMs }: Pending<Item>) => {
    const now = pending.get(id);
    return now?.tries === tries && now.dueAtMs === dueAtMs;
  };
  return {
    pending,
    add: (id, item, dueAtMs) =>
      void pending.set(id, { id, item, dueAtMs, tries: 0, ownerBefore: null }),
    makeDue(id, dueAtMs) {
      const now = pending.get(id);
      if (!now) return;
      if (owners.has(id)) again.add(id);
      else pending.set(id, { ...now, dueAtMs: Math.min(now.dueAtMs, dueAtMs) });
    },
    async findDue(nowMs, limit, exceptKeys = []) {
      const due = [...pending.values()].filter(
        ({ dueAtMs, item }) => dueAtMs <= nowMs && !exceptKeys.includes(keyOf(item)),
      );
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
      again.delete(found.id);
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
    async settle(claimed, { nowMs, dueAtMs: wantedMs }) {
      if (!holds(claimed)) return null;
      const { id } = claimed;
      const isAgain = again.delete(id);
      const dueAtMs = isAgain ? nowMs : wantedMs;
      owners.delete(id);
      if (dueAtMs === null) pending.delete(id);
      else pending.set(id, { ...claimed, tries: 0, dueAtMs });
      return isAgain ? 'again' : 'settled';
    },
    complete: async ({ id }) => void pending.delete(id),
  };
}
