import { pause } from '@inventory/runtime/wait';
import type { Benchmark } from '../benchmark.ts';
import { peakMemoryMb } from '../process-usage.ts';
import { lessIsBetter, moreIsBetter } from '../row.ts';
import { spreadOver } from '../stream-measures.ts';
import { heldMax, withFollowers } from '../stream-world.ts';

const memoryMbMax = 1_200;
/** Events a second over all Projects, each with its streams. */
const eventsPerSecond = 100;
const settleMs = 2_000;
const secondMs = 1_000;

/** How many streams one gateway holds for minutes while each Project has an event at times. */
export const heldStreams: Benchmark = {
  name: 'held-streams',
  run(context) {
    const [streams, minutes] = context.quick ? [2_000, 0.1] : [heldMax, 10];
    context.say(`${streams} streams for ${minutes} minutes`);
    return withFollowers(context, async ({ side, readers, projects }) => {
      const targets = spreadOver(projects, streams);
      const streamsOf = Map.groupBy(targets, ({ path }) => path);
      await readers.open(side.port, targets);
      await readers.mark();
      const seconds = minutes * 60;
      let expected = 0;
      for (let second = 0; second < seconds; second += 1) {
        const some = spreadOver(projects, eventsPerSecond, second * eventsPerSecond);
        for (const { path } of some) expected += streamsOf.get(path)?.length ?? 0;
        await side.announce(some);
        await pause(secondMs);
      }
      await pause(settleMs);
      const { open, deliveries } = await readers.report();
      return [
        lessIsBetter({
          name: `${streams} streams for ${minutes} minutes, peak memory of the gateway`,
          ...{ value: peakMemoryMb(side.pid), unit: 'MB', yardstick: memoryMbMax, floor: 1 },
        }),
        moreIsBetter({
          name: 'the same, streams open at the end',
          ...{ value: open, unit: '', yardstick: streams, floor: 1 },
        }),
        moreIsBetter({
          name: 'the same, events that arrived',
          ...{ value: deliveries, unit: '', yardstick: expected, floor: 1 },
        }),
      ];
    });
  },
};
