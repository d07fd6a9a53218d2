/** Hexadecimal digits of a digest that are kept: as many as a double holds exactly. */
export const digitsKept = 13;

const slotsMin = 1_024;
/** Slots of which one is free: a probe ends at it. */
const slotsPerFree = 4;

/**
 * A set of digests in 8 bytes a slot: for millions of them a set of texts would take most of a
 * container. Kept is the start of each; that another one has the same is possible, and as likely as to
 * guess a number of 52 bits.
 */
export function createDigestSet(entriesMax: number) {
  let slots = new Float64Array(slotsMin);
  let size = 0;

  /** Where the mark is, or the free slot that it would be put in. */
  function slotOf(mark: number): number {
    let slot = mark % slots.length;
    while (slots[slot] !== 0 && slots[slot] !== mark) slot = (slot + 1) % slots.length;
    return slot;
  }

  function grow(): void {
    const before = slots;
    slots = new Float64Array(2 * before.length);
    for (const mark of before) if (mark !== 0) slots[slotOf(mark)] = mark;
  }

  return {
    has: (digest: string): boolean => slots[slotOf(markOf(digest))] !== 0,
    /** Without effect once the set is full. */
    add(digest: string): void {
      const mark = markOf(digest);
      if (size >= entriesMax || slots[slotOf(mark)] !== 0) return;
      if (size >= slots.length - slots.length / slotsPerFree) grow();
      slots[slotOf(mark)] = mark;
      size += 1;
    },
    get size(): number {
      return size;
    },
    /** Bytes of the slots. */
    get bytes(): number {
      return slots.byteLength;
    },
  };
}

/** Zero marks a free slot. */
function markOf(digest: string): number {
  return 1 + (Number.parseInt(digest.slice(0, digitsKept), 16) || 0);
}
