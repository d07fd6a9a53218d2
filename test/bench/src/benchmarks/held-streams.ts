import { pause } from '@inventory/runtime/wait';
import type { Benchmark } from '../benchmark.ts';
import { peakMemoryMb, streamsMax } from '../process-usage.ts';
import { lessIsBetter, moreIsBetter } from '../row.ts';
import { spreadOver } from '../stream-measures.ts';
import { withFollowers } from '../stream-world.ts';

const sizes = { streams: 50_000, projects: 5_000, minutes: 10 };
const quickSizes = { streams: 2_000, projects: 500, minutes: 0.5 };
const memoryMbMax = 1_200;
/** Events a second over all Projects, each with its streams. */
const eventsPerSecond = 100;
const settleMs = 2_000;
const secondMs = 1_000;

/** How many streams one gateway holds for minutes while each Project has an event at times. */
export const heldStreams: Benchmark = {
  name: 'held-streams',
  run({ backends, quick, say }) {
    const { minutes, projects: count, ...wanted } = quick ? quickSizes : sizes;
    const streams = Math.min(wanted.streams, streamsMax());
    say(`${streams} streams over ${count} Projects for ${minutes} minutes`);
    const options = {
      ...{ name: 'held-streams', projects: count, streamsMax: streams },
      streamsPerProjectMax: Math.ceil(streams / count),
    };
    return withFollowers(backends, options, async ({ side, readers, projects }) => {
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
