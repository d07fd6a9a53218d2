import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { lessIsBetter, moreIsBetter, type Row, reported } from '../row.ts';
import {
  type Measured,
  measure,
  type Side,
  type Sizes,
  stalledGrowthMb,
  steadyRate,
  stormSeconds,
} from '../stream-measures.ts';
import {
  createProjects,
  type FollowedProject,
  openAnnouncer,
  startReaders,
} from '../stream-world.ts';
import { startNchan } from '../yardsticks/nchan.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';
import type { ReaderReport } from '../yardsticks/stream-readers.ts';

const sizes: Sizes = {
  held: 10_000,
  projects: 5_000,
  oneProject: 1_000,
  stalled: 100,
  seconds: 5,
};
const quickSizes: Sizes = { held: 1_000, projects: 500, oneProject: 200, stalled: 20, seconds: 2 };

const partsOfStreams: readonly string[] = ['gateway', 'event-stream'];

/**
 * Streams held and served by one gateway against a bare node:http loop that holds the same
 * connections and writes coalesced buffers, with the same readers in a process of their own.
 */
export const streams: Benchmark = {
  name: 'streams',
  async run(context) {
    const size = context.quick ? quickSizes : sizes;
    const bare = await bareSide(context, size);
    const nchan = await nchanSide(context, size);
    const { ours, storm, stalledMb } = await ourSide(context, size);
    return [
      lessIsBetter({
        name: `memory of one of ${size.held} held streams`,
        value: ours.heldKb,
        unit: 'KB',
        yardstick: bare.heldKb,
        // Of a quick run's streams, what a process takes once is the most.
        ...(size === sizes ? { floor: 0.85 } : {}),
      }),
      moreIsBetter({
        name: `deliveries, 1 Project x ${size.oneProject} streams`,
        value: ours.fanOut,
        unit: '/s',
        yardstick: bare.fanOut,
        floor: 0.3,
      }),
      moreIsBetter({
        name: `deliveries, ${size.projects} Projects x ${size.held} streams`,
        value: ours.spread,
        unit: '/s',
        yardstick: bare.spread,
        floor: 0.3,
      }),
      ...(nchan ? nchanRows(ours, nchan, size) : []),
      ...steadyRows(ours.steady, bare.steady, size),
      reported(`${size.held} streams cut at once are back after`, storm, 's'),
      reported(`memory for ${size.stalled} stalled of ${size.oneProject}`, stalledMb, 'MB'),
    ];
  },
};

function nchanRows(ours: Measured, nchan: Measured, size: Sizes): Row[] {
  return [
    lessIsBetter({
      name: `memory of one of ${size.held} held streams, against Nchan`,
      value: ours.heldKb,
      unit: 'KB',
      yardstick: nchan.heldKb,
    }),
    moreIsBetter({
      name: `deliveries, 1 Project x ${size.oneProject} streams, against Nchan`,
      value: ours.fanOut,
      unit: '/s',
      yardstick: nchan.fanOut,
      // A quick run offers less than either can take.
      ...(size === sizes ? { floor: 2 } : {}),
    }),
    moreIsBetter({
      name: `deliveries, ${size.projects} Projects x ${size.held} streams, against Nchan`,
      value: ours.spread,
      unit: '/s',
      yardstick: nchan.spread,
    }),
  ];
}

function steadyRows(ours: ReaderReport, bare: ReaderReport, size: Sizes): Row[] {
  const what = `append to client at ${steadyRate}/s x ${size.oneProject} streams`;
  return [
    lessIsBetter({
      name: `${what}, p50, over Kafka`,
      value: ours.p50Ms,
      unit: 'ms',
      yardstick: bare.p50Ms,
    }),
    lessIsBetter({
      name: `${what}, p99, over Kafka`,
      value: ours.p99Ms,
      unit: 'ms',
      yardstick: bare.p99Ms,
    }),
  ];
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
    const projects = Array.from({ length: size.projects }, (_none, index) => ({
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
    const projects = Array.from({ length: size.projects }, (_none, index) => ({
      path: `/sub/${index}`,
      apiKey: 'none',
    }));
    return await measure({ ...server, collectsGarbage: false }, readers, projects, size);
  } finally {
    await Promise.all([readers.stop(), server.stop()]);
  }
}

function ourSide({ backends, say }: BenchContext, size: Sizes) {
  const name = 'streams';
  const serviceEnvironment = {
    gateway: {
      STREAMS_PER_PROJECT_MAX: '1000',
      STREAMS_MAX: '20000',
      CUSTOMER_REQUESTS_PER_MINUTE: '1000000',
      NODE_OPTIONS: `--require=${require.resolve('../yardsticks/collect-garbage.js')}`,
    },
  };
  return withStack(backends, { name, serviceEnvironment }, async (stack) => {
    const readers = await startReaders();
    const announcer = await openAnnouncer(stack, `bench.${name}.`);
    say('Projects and Credentials');
    const projects = await createProjects(stack, size.projects);
    // None of them has a part in a stream, and the machine is small.
    const idle = stack.services.filter(({ service }) => !partsOfStreams.includes(service));
    await Promise.all(idle.map((service) => service.stop('SIGKILL')));
    const gateway = stack.services.find(({ service }) => service === 'gateway');
    const side: Side = {
      port: Number(new URL(stack.gatewayUrl).port),
      pid: gateway?.pid ?? -1,
      collectsGarbage: true,
      announce: (targets) =>
        announcer.announce(targets.map((target) => (target as FollowedProject).projectId)),
    };
    try {
      say('our gateway');
      const ours = await measure(side, readers, projects, size);
      const storm = await stormSeconds(side, readers, projects, size);
      const stalledMb = await stalledGrowthMb(side, readers, projects, size);
      return { ours, storm, stalledMb };
    } finally {
      await Promise.all([readers.stop(), announcer.close()]);
    }
  });
}
