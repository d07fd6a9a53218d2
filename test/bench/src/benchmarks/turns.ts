import { seededRandom } from '@inventory/testkit/seeded-random';
import type { Benchmark } from '../benchmark.ts';
import { lessIsBetter, moreIsBetter, type Row, reported } from '../row.ts';
import { figuresOf, type MixFigures } from '../turns/measure.ts';
import type { Mix } from '../turns/mix.ts';
import { mixesOf } from '../turns/mixes.ts';
import { planCostRow } from '../turns/plan-cost.ts';
import { simulate } from '../turns/simulate.ts';

const paidFloor = 0.9;
/** Percent of the slots; the goal is at most 3 % on scans that did not complete. */
const usefulGoal = 97;
const waitOverFairMax = 2;

/** Scan planning in virtual time: what the slots of the egress identities were spent on. */
export const turns: Benchmark = {
  name: 'turns',
  runWithoutBackends({ seed, say }) {
    say(`Seed ${seed}; goals: 0.95 of the paid pages, 97 % of the slots on complete scans.`);
    const random = seededRandom(seed);
    const mixes = mixesOf(random).flatMap((mix) =>
      rowsOf(mix, figuresOf(mix, simulate(mix, random))),
    );
    return [...mixes, planCostRow()];
  },
};

export function rowsOf(mix: Mix, figures: MixFigures): Row[] {
  const { completed, paidPages, paidPagesMost, allCould, wasted, waitOverFair } = figures;
  const name = (what: string) => `${mix.name}: ${what}`;
  const completedName = name('completed refreshes');
  const useful = { name: name('slots on complete scans'), value: 100 * (1 - wasted), unit: '%' };
  return [
    moreIsBetter({
      name: name('paid pages, against the most possible'),
      value: paidPages,
      unit: 'pages',
      yardstick: paidPagesMost,
      floor: paidFloor,
    }),
    mix.completedMin > 0
      ? moreIsBetter({
          name: completedName,
          value: completed,
          unit: '',
          yardstick: mix.completedMin,
          floor: 1,
        })
      : reported(completedName, completed, ''),
    allCould
      ? moreIsBetter({ ...useful, yardstick: usefulGoal })
      : reported(useful.name, useful.value, useful.unit),
    ...(waitOverFair === null
      ? []
      : [
          lessIsBetter({
            name: name('wait of one page over its fair share, p95'),
            value: waitOverFair,
            unit: '',
            yardstick: waitOverFairMax,
            floor: 1,
          }),
        ]),
  ];
}
