/** What the schedule reads of a record. */
export interface Scheduled {
  readonly record: { readonly key: string };
  readonly position: { readonly offset: string };
}

/**
 * The unfinished records of one partition. Keys are round-robin: the backlog of one key delays
 * the others by one slice, not by its length; the records of one key keep their order. Records are
 * therefore not finished in the order of their offsets.
 */
export interface PartitionSchedule<Item extends Scheduled> {
  /** Adds records in the order of their offsets. */
  add(items: readonly Item[]): void;
  /** Takes at most `max` records, in the order of their offsets; empty when none waits. */
  takeSlice(max: number): Item[];
  /**
   * Marks taken records as finished. Returns the offset up to which every added record is finished
   * by now; null when it is the same as before.
   */
  finish(items: readonly Item[]): string | null;
  /** Puts taken records back, before the waiting ones of their keys: these pause until `resume`. */
  postpone(items: readonly Item[]): void;
  /** Resumes the paused keys. */
  resume(): void;
  /** Whether a record waits to be taken. Those of paused keys do not. */
  readonly hasWaiting: boolean;
  /** Records that were added and are not finished. */
  readonly unfinished: number;
  /** The unfinished record with the lowest offset. */
  readonly oldest: Item | undefined;
}

interface Entry<Item> {
  readonly item: Item;
  isFinished: boolean;
}

export function createPartitionSchedule<Item extends Scheduled>(): PartitionSchedule<Item> {
  const waiting = new Map<string, Entry<Item>[]>();
  /** Keys with waiting records, the next one first. */
  let rotation: string[] = [];
  /** All records from the oldest unfinished one on, by offset. */
  let entries: Entry<Item>[] = [];
  const taken = new Map<string, Entry<Item>>();
  const paused = new Set<string>();
  let unfinished = 0;

  function takeNext(key: string): Entry<Item> | undefined {
    const ofKey = waiting.get(key);
    const next = ofKey?.shift();
    if (ofKey?.length === 0) waiting.delete(key);
    return next;
  }

  return {
    add(items) {
      for (const item of items) {
        const entry = { item, isFinished: false };
        const { key } = item.record;
        const ofKey = waiting.get(key);
        if (ofKey === undefined) {
          waiting.set(key, [entry]);
          rotation.push(key);
        } else ofKey.push(entry);
        entries.push(entry);
      }
      unfinished += items.length;
    },
    takeSlice(max) {
      const slice: Entry<Item>[] = [];
      let served = 0;
      while (slice.length < max && served < rotation.length) {
        const key = rotation[served];
        served += 1;
        const next = key === undefined ? undefined : takeNext(key);
        if (key === undefined || next === undefined) continue;
        slice.push(next);
        taken.set(next.item.position.offset, next);
        if (waiting.has(key)) rotation.push(key);
      }
      rotation = rotation.slice(served);
      return slice.map(({ item }) => item).sort(byOffset);
    },
    finish(items) {
      for (const { position } of items) {
        const entry = taken.get(position.offset);
        if (entry === undefined) continue;
        entry.isFinished = true;
        taken.delete(position.offset);
        unfinished -= 1;
      }
      const firstOpen = entries.findIndex(({ isFinished }) => !isFinished);
      const finished = firstOpen === -1 ? entries.length : firstOpen;
      const last = entries[finished - 1];
      entries = entries.slice(finished);
      return last?.item.position.offset ?? null;
    },
    postpone(items) {
      for (const item of items.toSorted(byOffset).reverse()) {
        const { key } = item.record;
        const entry = taken.get(item.position.offset);
        if (entry === undefined) continue;
        taken.delete(item.position.offset);
        waiting.set(key, [entry, ...(waiting.get(key) ?? [])]);
        paused.add(key);
      }
      rotation = rotation.filter((key) => !paused.has(key));
    },
    resume() {
      rotation.push(...paused);
      paused.clear();
    },
    get hasWaiting() {
      return rotation.length > 0;
    },
    get unfinished() {
      return unfinished;
    },
    get oldest() {
      return entries[0]?.item;
    },
  };
}

function byOffset(one: Scheduled, other: Scheduled): number {
  return Number(BigInt(one.position.offset) - BigInt(other.position.offset));
}
