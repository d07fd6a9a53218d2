/** Random choices of a run: the same seed makes the same choices. */
export interface Chance {
  readonly seed: number;
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from 0 to below `below`. */
  below(below: number): number;
  shuffled<Item>(items: readonly Item[]): Item[];
}

/** Seeded from `TEST_SEED`, or from the time. */
export function openChance(): Chance {
  return chanceOf(Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 32));
}

function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    seed,
    next,
    below,
    shuffled(items) {
      const left = [...items];
      return items.flatMap(() => left.splice(below(left.length), 1));
    },
  };
}
