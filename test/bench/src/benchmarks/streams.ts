import { appendDelays } from '../append-delays.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { type Delays, lessIsBetter, moreIsBetter, type Row } from '../row.ts';
import {
  type Measured,
  measure,
  openWithCursors,
  type Shape,
  type Sizes,
  storm,
  streamsOf,
} from '../stream-measures.ts';
import {
  heldMax,
  heldPerProjectMax,
  type Side,
  startReaders,
  withFollowers,
} from '../stream-world.ts';
import { startNchan } from '../yardsticks/nchan.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const sizes: Sizes = {
  shapes: {
    one: { projects: 1, streamsEach: heldPerProjectMax, rates: [100, 200, 400, 800, 1_600] },
    many: {
      // As many of the 2,000 as one process may hold streams of.
      projects: Math.min(2_000, Math.floor(heldMax / 10)),
      streamsEach: 10,
      rates: [2_000, 4_000, 8_000, 16_000, 32_000],
    },
    most: { projects: 5_000, streamsEach: 2, rates: [5_000, 10_000, 20_000, 40_000, 80_000] },
  },
  seconds: 5,
  collectionsMax: 5,
};
const quickSizes: Sizes = {
  shapes: {
    one: { projects: 1, streamsEach: 200, rates: [400] },
    many: { projects: 100, streamsEach: 10, rates: [4_000] },
    most: { projects: 100, streamsEach: 5, rates: [8_000] },
  },
  seconds: 1,
  collectionsMax: 2,
};

/**
 * Streams held and served by one gateway against a bare node:http loop that holds the same
 * connections and writes coalesced buffers, and against Nchan, with the same readers in a process of
 * their own. Ours is given its events by Kafka, the others by this process.
 */
export const streams: Benchmark = {
  name: 'streams',
  async run(context) {
    const size = context.quick ? quickSizes : sizes;
    const bare = await bareSide(context, size);
    const nchan = await nchanSide(context, size);
    const { ours, quiet, cut } = await ourSide(context, size);
    const held = streamsOf(size.shapes.most);
    // Of a quick run's streams, what a process takes once is the most; it offers less than any side takes.
    const isWhole = size === sizes;
    return [
      lessIsBetter({
        ...{ name: `memory of one of ${held} held streams`, value: ours.heldKb, unit: 'KB' },
        ...{ yardstick: bare.heldKb, ...(isWhole ? { floor: 0.85 } : {}) },
      }),
      ...(['one', 'many', 'most'] as const).flatMap((name) =>
        rateRows(
          size.shapes[name],
          { ours: ours.rates[name], bare: bare.rates[name], nchan: nchan?.rates[name] },
          isWhole ? floorsOverNchan[name] : 0,
        ),
      ),
      ...appendRows('append to client at 100/s, store included', quiet),
      ...appendRows(`the same at 20/s while ${held} streams are cut at once`, cut),
    ];
  },
};

/** Milliseconds. */
const appendGoals = { p50Ms: 10, p99Ms: 50 } as const;

function appendRows(name: string, { p50Ms, p99Ms }: Delays): Row[] {
  const rest = { unit: 'ms', floor: 1 } as const;
  return [
    lessIsBetter({ name: `${name}, p50`, value: p50Ms, yardstick: appendGoals.p50Ms, ...rest }),
    lessIsBetter({ name: `${name}, p99`, value: p99Ms, yardstick: appendGoals.p99Ms, ...rest }),
  ];
}

const floorsOverNchan = { one: 2, many: 1, most: 0.8 } as const;

function rateRows(
  { projects, streamsEach }: Shape,
  { ours, bare, nchan }: { ours: number; bare: number; nchan: number | undefined },
  floorOverNchan: number,
): Row[] {
  const value = { value: ours, unit: '/s' } as const;
  const name = `deliveries, ${projects} x ${streamsEach} streams`;
  const againstBare = moreIsBetter({ name, ...value, yardstick: bare, floor: 0.3 });
  if (nchan === undefined) return [againstBare];
  const against = { name: 'the same, against Nchan', yardstick: nchan, floor: floorOverNchan };
  return [againstBare, moreIsBetter({ ...against, ...value })];
}

async function bareSide({ say }: BenchContext, size: Sizes): Promise<Measured> {
  const server = await startYardstick('bare-streams', []);
  const readers = await startReaders();
  const side: Side = {
    port: Number(server.ready),
    pid: server.pid,
    collectsGarbage: true,
    announce(targets) {
      for (const [path, of] of Map.groupBy(targets, (target) => target.path)) {
        server.tell({ path, count: of.length });
      }
    },
  };
  try {
    say('a bare loop');
    const projects = Array.from({ length: size.shapes.most.projects }, (_none, index) => ({
      path: `/${index}`,
      apiKey: 'none',
    }));
    return await measure(side, readers, projects, size);
  } finally {
    await Promise.all([readers.stop(), server.stop()]);
  }
}

/** One worker of nginx with the Nchan module, where the machine has it. */
async function nchanSide({ say }: BenchContext, size: Sizes): Promise<Measured | null> {
  const server = await startNchan();
  if (server === null) {
    say('no Nchan: nginx or its module is not on this machine');
    return null;
  }
  const readers = await startReaders();
  try {
    say('Nchan');
    const projects = Array.from({ length: size.shapes.most.projects }, (_none, index) => ({
      path: `/sub/${index}`,
      apiKey: 'none',
    }));
    return await measure({ ...server, collectsGarbage: false }, readers, projects, size);
  } finally {
    await Promise.all([readers.stop(), server.stop()]);
  }
}

function ourSide(context: BenchContext, size: Sizes) {
  return withFollowers(context, async (followers) => {
    const { side, readers, projects } = followers;
    context.say('our gateway');
    const ours = await measure(side, readers, projects, size);
    const { seconds } = size;
    const quiet = await appendDelays(followers, { perSecond: 100, seconds });
    await openWithCursors(side, readers, projects, size);
    const cutAll = () => storm(side, readers, projects, size);
    const cut = await appendDelays(followers, { perSecond: 20, seconds }, cutAll);
    return { ours, quiet, cut };
  });
}
