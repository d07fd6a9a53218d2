import type { Stack } from '@inventory/local-stack/stack';
import { pause } from '@inventory/runtime/wait';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { percentiles } from '../load.ts';
import type { Project } from '../project.ts';
import { besideOthers, moreIsBetter, type Row } from '../row.ts';
import {
  type Completions,
  openCompletions,
  openStored,
  type Receivers,
  type Stored,
  startReceivers,
  subscribeProjects,
} from '../webhook-world.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

/**
 * How much is measured. Counts, so that no rate or duration has to divide another. As many fast
 * Projects that appending, which is serial in each, is not the bound; in a quick run it may be.
 */
const sizes = {
  ...{ timed: 1_000, fastProjects: 24, fast: 1_000, bare: 20_000, queuedPerEndpoint: 200 },
};
const quickSizes: Sizes = {
  ...{ timed: 100, fastProjects: 8, fast: 100, bare: 4_000, queuedPerEndpoint: 10 },
};
type Sizes = typeof sizes;

const hangingProjects = 8;
const endpointsPerHanging = 8;
const endpointsPerFast = 10;
/** Events a second at which delay is measured: one each of these. */
const timedEveryMs = 20;
/**
 * Of the bare loop: 1,000 deliveries a second on the machine of docs/contributors/benchmarks.md, where the loop
 * posts 14,700. The platform's limits feed 28.
 */
const rateFloor = 0.07;
/** Requests at once of one replica, by default, and of the bare loop. */
const requestsMax = 64;
const pollMs = 100;
const waitMaxMs = 600_000;

/**
 * Webhooks of one event-stream: how fast they leave it, against a loop that only signs and posts, and
 * whether a healthy endpoint notices endpoints that hang. Receivers are a process of their own.
 */
export const webhooks: Benchmark = {
  name: 'webhooks',
  run: (context) =>
    context.withStack({}, async (stack) => {
      const receivers = await startReceivers();
      const completions = await openCompletions(stack);
      const stored = await openStored(stack);
      try {
        return await measure(context, stack, { receivers, completions, stored });
      } finally {
        await Promise.all([receivers.stop(), completions.close(), stored.close()]);
      }
    }),
};

async function measure(
  context: BenchContext,
  stack: Stack,
  parts: Pick<World, 'receivers' | 'completions' | 'stored'>,
): Promise<Row[]> {
  const { receivers } = parts;
  const repeated = (path: string, count: number) => Array(count).fill(receivers.url + path);
  const size = context.quick ? quickSizes : sizes;
  const [timed] = await subscribeProjects(stack, 1, repeated('/timed', 1));
  const fastEndpoints = repeated('/fast', endpointsPerFast);
  const fast = await subscribeProjects(stack, size.fastProjects, fastEndpoints);
  if (!timed) throw new Error('a Project is subscribed');
  const hangs = repeated('/hang', endpointsPerHanging);
  const hanging = await subscribeProjects(stack, hangingProjects, hangs);
  const world = { context, size, ...parts };
  return [await rateRow(world, fast), await delayRow(world, timed, hanging)];
}

interface World {
  readonly context: BenchContext;
  readonly size: Sizes;
  readonly receivers: Receivers;
  readonly completions: Completions;
  readonly stored: Stored;
}

async function rateRow(world: World, projects: readonly Project[]): Promise<Row> {
  const { context, size } = world;
  context.say('fast receivers');
  await deliverFast(world, projects, Math.ceil(size.fast / 10));
  const perSecond = await deliverFast(world, projects, size.fast);
  const endpoints = projects.length * endpointsPerFast;
  const what = `webhook deliveries of one replica, ${endpoints} fast endpoints`;
  return moreIsBetter({
    ...{ name: `${what}, against a bare loop`, value: perSecond, unit: '/s' },
    ...{ yardstick: await bareRate(world), floor: rateFloor },
  });
}

/** Deliveries a second of `events` events, from the first arrival to the last. */
async function deliverFast(
  { receivers, completions }: World,
  projects: readonly Project[],
  events: number,
): Promise<number> {
  await receivers.mark();
  await completions.announce(
    Array.from({ length: events }, (_none, index) => projects[index % projects.length] as Project),
  );
  const expected = events * endpointsPerFast;
  const { fast, firstMs, lastMs } = await until('all deliveries arrive', async () => {
    const report = await receivers.report();
    return report.fast >= expected && report;
  });
  return (fast / (lastMs - firstMs)) * 1_000;
}

/** The same receivers, posted to by a loop. */
async function bareRate({ receivers, size }: World): Promise<number> {
  const loop = await startYardstick('bare-posts', [`${receivers.url}/fast`, String(requestsMax)]);
  try {
    await loop.ask<number>({ count: Math.ceil(size.bare / 10) });
    return await loop.ask<number>({ count: size.bare });
  } finally {
    await loop.stop();
  }
}

async function delayRow(world: World, timed: Project, hanging: readonly Project[]): Promise<Row> {
  const { context, size, completions, stored, receivers } = world;
  context.say('an endpoint alone');
  const alone = await delaysOf(world, timed);
  context.say('the backlog of endpoints that hang');
  const events = hanging.flatMap((project) => Array<Project>(size.queuedPerEndpoint).fill(project));
  await completions.announce(events);
  await until(
    'the backlog is appended',
    async () => (await stored.countEvents(hanging)) >= events.length,
  );
  const requests = await until('requests hang', async () => (await receivers.report()).hanging);
  context.say(`the endpoint beside them: ${requests} requests hang`);
  const beside = await delaysOf(world, timed);
  const endpoints = hanging.length * endpointsPerHanging;
  const queued = events.length * endpointsPerHanging;
  const what = `append to webhook beside ${endpoints} endpoints that hang with ${queued} events to come`;
  return besideOthers(what, beside, alone);
}

/** From the append of an event to the arrival of its webhook, events at a steady pace. */
async function delaysOf({ receivers, completions, stored, size }: World, project: Project) {
  await completions.announce([project]);
  await receivers.mark();
  const startMs = performance.now();
  for (let sent = 0; sent < size.timed; sent += 1) {
    const dueMs = startMs + sent * timedEveryMs - performance.now();
    if (dueMs > 0) await pause(dueMs);
    await completions.announce([project]);
  }
  const arrivals = await until('all timed deliveries arrive', async () => {
    const { timed } = await receivers.report();
    return timed.length >= size.timed && timed;
  });
  const appended = await stored.appendedAt(project);
  const delays = arrivals.map(([id, atMs]) => atMs - (appended.get(id) ?? Number.NaN));
  return percentiles(delays);
}

async function until<Value>(
  reason: string,
  find: () => Promise<Value | false | 0>,
): Promise<Value> {
  const startMs = performance.now();
  while (performance.now() - startMs < waitMaxMs) {
    const found = await find();
    if (found !== false && found !== 0) return found;
    await pause(pollMs);
  }
  throw new Error(`${reason}: not within ${waitMaxMs / 1_000} s`);
}
