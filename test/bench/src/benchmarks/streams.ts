import { pause } from '@inventory/runtime/wait';
import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { residentMb } from '../process-usage.ts';
import { lessIsBetter, moreIsBetter, type Row, reported } from '../row.ts';
import {
  createProjects,
  type FollowedProject,
  openAnnouncer,
  type Readers,
  startReaders,
} from '../stream-world.ts';
import { startNchan } from '../yardsticks/nchan.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';
import type { ReaderReport, StreamTarget } from '../yardsticks/stream-readers.ts';

interface Sizes {
  readonly held: number;
  readonly projects: number;
  readonly oneProject: number;
  readonly stalled: number;
  readonly seconds: number;
}

const sizes: Sizes = {
  held: 10_000,
  projects: 5_000,
  oneProject: 1_000,
  stalled: 100,
  seconds: 5,
};
const quickSizes: Sizes = { held: 1_000, projects: 500, oneProject: 200, stalled: 20, seconds: 2 };

/** Events a second that are offered to one Project, one rate after the other. */
const offeredRates = [50, 100, 200, 400] as const;
/** Events a second over all Projects. */
const spreadRates = [2_000, 5_000, 10_000] as const;
const partsOfStreams: readonly string[] = ['gateway', 'event-stream'];
const steadyRate = 20;
const intervalMs = 10;
const settleMs = 500;

interface Side {
  /** Events for some targets, as many as are named. */
  announce(targets: readonly StreamTarget[]): Promise<void> | void;
  readonly port: number;
  readonly pid: number;
}

interface Measured {
  readonly heldKb: number;
  readonly fanOut: number;
  readonly spread: number;
  readonly steady: ReaderReport;
}

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
    return await measure(server, readers, projects, size);
  } finally {
    await Promise.all([readers.stop(), server.stop()]);
  }
}

function ourSide({ backends, say }: BenchContext, size: Sizes) {
  const name = 'streams';
  const serviceEnvironment = {
    gateway: { STREAMS_PER_PROJECT_MAX: '20000', STREAMS_MAX: '20000' },
  };
  return withStack(backends, { name, serviceEnvironment }, async (stack) => {
    const readers = await startReaders();
    const announcer = await openAnnouncer(stack, `bench.${name}.`);
    say('Projects and Credentials');
    const projects = await createProjects(stack, size.projects);
    // None of them has a part in a stream, and the machine is small.
    const idle = stack.services.filter(({ service }) => !partsOfStreams.includes(service));
    await Promise.all(idle.map((service) => service.takeDown()));
    const gateway = stack.services.find(({ service }) => service === 'gateway');
    const side: Side = {
      port: Number(new URL(stack.gatewayUrl).port),
      pid: gateway?.pid ?? -1,
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

const spreadOver = (projects: readonly StreamTarget[], count: number): StreamTarget[] =>
  Array.from(
    { length: count },
    (_none, index) => projects[index % projects.length] as StreamTarget,
  );

async function measure(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  size: Sizes,
): Promise<Measured> {
  const beforeMb = residentMb(side.pid);
  await readers.open(side.port, spreadOver(projects, size.held));
  await pause(settleMs);
  const heldKb = ((residentMb(side.pid) - beforeMb) * 1_024) / size.held;
  const spread = await best(spreadRates, (rate) =>
    offer(side, readers, { targets: projects, rate, seconds: size.seconds }),
  );
  await readers.cut();
  await readers.open(side.port, spreadOver(projects.slice(0, 1), size.oneProject));
  const one = projects.slice(0, 1);
  const steady = await offer(side, readers, {
    targets: one,
    rate: steadyRate,
    seconds: size.seconds,
  });
  const fanOut = await best(offeredRates, (rate) =>
    offer(side, readers, { targets: one, rate, seconds: size.seconds }),
  );
  await readers.cut();
  return { heldKb, fanOut, spread, steady: steady.report };
}

/** The most that was delivered at any rate; a rate that is not kept ends the search. */
async function best(
  rates: readonly number[],
  offerAt: (rate: number) => Promise<{ perSecond: number; isKept: boolean }>,
): Promise<number> {
  let most = 0;
  for (const rate of rates) {
    const { perSecond, isKept } = await offerAt(rate);
    most = Math.max(most, perSecond);
    if (!isKept) break;
  }
  return most;
}

/** Announces at a rate and counts what arrives until nothing follows any more. */
async function offer(
  side: Side,
  readers: Readers,
  { targets, rate, seconds }: { targets: readonly StreamTarget[]; rate: number; seconds: number },
) {
  await readers.mark();
  const startMs = performance.now();
  const sending: (Promise<void> | void)[] = [];
  let sent = 0;
  while (performance.now() - startMs < seconds * 1_000) {
    const due = Math.floor(((performance.now() - startMs) / 1_000) * rate);
    const some = Array.from(
      { length: due - sent },
      (_none, index) => targets[(sent + index) % targets.length] as StreamTarget,
    );
    if (some.length > 0) sending.push(side.announce(some));
    sent = due;
    await pause(intervalMs);
  }
  await Promise.all(sending);
  const report = await untilQuiet(readers);
  const tookMs = report.lastMs - startMs;
  const perSecond = (report.deliveries / tookMs) * 1_000;
  return { perSecond, report, isKept: tookMs < seconds * 1_250 };
}

async function untilQuiet(readers: Readers): Promise<ReaderReport & { lastMs: number }> {
  let last = await readers.report();
  let lastMs = performance.now();
  for (;;) {
    await pause(settleMs / 2);
    const next = await readers.report();
    if (next.deliveries === last.deliveries && performance.now() - lastMs > settleMs) {
      return { ...next, lastMs };
    }
    if (next.deliveries !== last.deliveries) lastMs = performance.now();
    last = next;
  }
}

async function stormSeconds(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  size: Sizes,
): Promise<number> {
  const targets = spreadOver(projects, size.held);
  await readers.open(side.port, targets);
  await offer(side, readers, { targets: projects, rate: projects.length, seconds: 2 });
  await readers.cut();
  const startMs = performance.now();
  await readers.open(side.port, targets, true);
  const tookMs = performance.now() - startMs;
  await readers.cut();
  return tookMs / 1_000;
}

async function stalledGrowthMb(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  size: Sizes,
): Promise<number> {
  const one = projects.slice(0, 1);
  await readers.open(side.port, spreadOver(one, size.oneProject));
  await readers.stall(size.stalled);
  const beforeMb = residentMb(side.pid);
  await offer(side, readers, { targets: one, rate: 200, seconds: 2 * size.seconds });
  const grownMb = residentMb(side.pid) - beforeMb;
  await readers.cut();
  return grownMb;
}
