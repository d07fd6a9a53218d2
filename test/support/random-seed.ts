import { seededRandom, shuffled } from '@inventory/testkit/seeded-random';

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
  const next = seededRandom(seed);
  return {
    seed,
    next,
    below: (limit) => Math.floor(next() * limit),
    shuffled: (items) => shuffled(items, next),
  };
}
