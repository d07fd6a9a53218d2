import type { Surroundings } from '../src/surroundings.ts';

export interface TestSurroundings extends Surroundings {
  /** Every wait that was asked for, in milliseconds. */
  readonly waits: readonly number[];
}

/** Time passes only where the client waits, and then at once. */
export function createTestSurroundings(chance = 0): TestSurroundings {
  const waits: number[] = [];
  let nowMs = 0;
  let keys = 0;
  return {
    waits,
    nowMs: () => nowMs,
    chance: () => chance,
    newKey: () => {
      keys += 1;
      return `key-${keys}`;
    },
    async pause(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      nowMs += ms;
    },
  };
}
