import { setImmediate } from 'node:timers/promises';
import { seededRandom } from '@inventory/testkit/seeded-random';

/** All chance of a simulation: the same seed makes the same choices. */
export interface Chance {
  /** A whole number below the limit. */
  below(limit: number): number;
  /** True in so many of a hundred cases. */
  percent(cases: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

export function createChance(seed: number): Chance {
  const next = seededRandom(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    percent: (cases) => below(100) < cases,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
  };
}

/** A process of the simulation; once it is dead, nothing it waits for ever comes. */
export interface Process {
  isAlive: boolean;
}

/**
 * Everything that takes time waits here until it is its turn, and whose turn it is is chance: a
 * reply can take as long as a pause of the whole process would.
 */
export interface Scheduler {
  /** Runs `effect` some time later, and gives its result back some time after that. */
  call<Value>(process: Process, effect: () => Value): Promise<Value>;
  /** Lets one waiting thing happen; false when nothing waits. */
  step(): Promise<boolean>;
}

export function createScheduler(chance: Chance): Scheduler {
  const waiting: { process: Process; happen: () => void }[] = [];

  return {
    call: (process, effect) =>
      new Promise((resolve, reject) => {
        const respond = (deliver: () => void) => waiting.push({ process, happen: deliver });
        const happen = () => {
          try {
            const value = effect();
            respond(() => resolve(value));
          } catch (error) {
            respond(() => reject(error));
          }
        };
        waiting.push({ process, happen });
      }),
    async step() {
      const [next] = waiting.splice(chance.below(waiting.length), 1);
      if (!next) return false;
      if (next.process.isAlive) next.happen();
      // All code that waits for promises only gets to its next call.
      await setImmediate();
      return true;
    },
  };
}
