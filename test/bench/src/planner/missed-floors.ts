import { seededRandom } from '@inventory/testkit/seeded-random';
import { rowsOf } from '../benchmarks/planner.ts';
import { isMissed } from '../row.ts';
import { figuresOf } from './measure.ts';
import type { Mix } from './mix.ts';
import { mixesOf } from './mixes.ts';
import { simulate } from './simulate.ts';

/** Figures below their floors, of all mixes with this seed or of some. */
export function missedFloors(seed: number, isPlayed: (mix: Mix) => boolean = () => true): string[] {
  const random = seededRandom(seed);
  return mixesOf(random)
    .filter(isPlayed)
    .flatMap((mix) => rowsOf(mix, figuresOf(mix, simulate(mix, random))))
    .filter(isMissed)
    .map(({ name, value }) => `${name}: ${value}`);
}
