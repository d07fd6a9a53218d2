import { seededRandom } from '@inventory/testkit/seeded-random';
import type { Benchmark } from '../benchmark.ts';
import { figuresOf, type MixFigures } from '../planner/measure.ts';
import type { Mix } from '../planner/mix.ts';
import { mixesOf } from '../planner/mixes.ts';
import { planCostRow } from '../planner/plan-cost.ts';
import { simulate } from '../planner/simulate.ts';
import { lessIsBetter, moreIsBetter, type Row } from '../row.ts';

const paidFloor = 0.9;
const waitOverFairMax = 2;

/** Scan planning in virtual time: what the slots of the egress identities were spent on. */
export const turns: Benchmark = {
  name: 'turns',
  runWithoutBackends({ seed, quick }) {
    const random = seededRandom(seed);
    const rows = mixesOf(random)
      .filter((mix) => !quick || arrivesAtOnce(mix))
      .flatMap((mix) => rowsOf(mix, figuresOf(mix, simulate(mix, random))));
    return [...rows, planCostRow()];
  },
};

/** The others take longest: their refreshes arrive for hours. */
const arrivesAtOnce = ({ arrivals }: Mix) => arrivals.every(({ atMs }) => atMs === 0);

export function rowsOf(mix: Mix, figures: MixFigures): Row[] {
  const { completed, paidPages, paidPagesMost, waitOverFair } = figures;
  const name = (what: string) => `${mix.name}: ${what}`;
  const rows = [
    moreIsBetter({
      ...{ name: name('paid pages, against the most possible'), unit: 'pages' },
      ...{ value: paidPages, yardstick: paidPagesMost, floor: paidFloor },
    }),
  ];
  if (mix.completedMin > 0) {
    rows.push(
      moreIsBetter({
        ...{ name: name('completed refreshes'), value: completed, unit: '' },
        ...{ yardstick: mix.completedMin, floor: 1 },
      }),
    );
  }
  if (waitOverFair !== null) {
    rows.push(
      lessIsBetter({
        ...{ name: name('wait of one page over its fair share, p95'), unit: '' },
        ...{ value: waitOverFair, yardstick: waitOverFairMax, floor: 1 },
      }),
    );
  }
  return rows;
}
