import { createSemaphore } from '@inventory/runtime/semaphore';
import { newProjectId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { createMemorySlots } from '../../test/support/memory-slots.ts';
import { work } from '../work.ts';
import { createStreamSlots, type StreamSlot, type StreamSlots } from './stream-slots.ts';

const projectId = newProjectId();
const perProjectMax = 3;
const { leaseMs } = work.slots;

interface OpenStream {
  readonly replica: Replica;
  readonly slot: StreamSlot;
  isLost: boolean;
}
interface Replica extends StreamSlots {
  isRunning: boolean;
}

/** Replicas over one store in memory, with the streams that each of them holds. */
function createWorld(step: () => Promise<void>, totalMax = 100) {
  const clock = createTestClock();
  let fullest = 0;
  const slots = createMemorySlots(clock, step, () => {
    fullest = Math.max(fullest, slots.slotsOf(projectId).length);
  });
  let serial = 0;
  const identifiers = {
    uuidV7() {
      serial += 1;
      return String(serial).padStart(6, '0');
    },
  };
  const streams = new Set<OpenStream>();

  function createReplica(): Replica {
    const limits = { perProjectMax, totalMax, acquireMs: 600_000 };
    const streamSlots = createStreamSlots(slots.store, limits, identifiers, () => {});
    // As a periodic job does: one renewal at a time.
    const renewals = createSemaphore(1);
    return { ...streamSlots, renew: () => renewals.run(streamSlots.renew), isRunning: true };
  }
  const replicas: readonly [Replica, Replica] = [createReplica(), createReplica()];
  const running = () => replicas.filter(({ isRunning }) => isRunning);

  return {
    clock,
    slots,
    replicas,
    streams,
    fullest: () => fullest,
    async open(replica: Replica): Promise<'granted' | 'project_full' | 'unavailable'> {
      const slot = await replica.acquire(projectId);
      if (typeof slot === 'string') return slot;
      const stream: OpenStream = { replica, slot, isLost: false };
      // A replica that crashed meanwhile holds nothing.
      if (replica.isRunning) streams.add(stream);
      slot.onLost(() => {
        stream.isLost = true;
      });
      return 'granted';
    },
    close(stream: OpenStream): void {
      if (streams.delete(stream)) stream.slot.release();
    },
    /** Its streams end with it, and nothing is written any more. */
    crash(replica: Replica): void {
      replica.isRunning = false;
      for (const stream of streams) if (stream.replica === replica) streams.delete(stream);
    },
    /** One renewal of each running replica; ended streams are closed and removed. */
    async renew(): Promise<void> {
      for (const replica of running()) await replica.renew();
      for (const stream of streams) {
        if (stream.isLost) {
          streams.delete(stream);
          stream.slot.release();
        }
      }
      for (const replica of running()) await replica.flushReleased();
    },
  };
}

const atOnce = () => Promise.resolve();

async function started() {
  const world = createWorld(atOnce);
  await world.renew();
  return world;
}

test('a Project has as many streams as slots over all replicas, and none ends for another (Events: stream_limit_exceeded) [events-slots]', async () => {
  const { open, replicas, streams, renew, close } = await started();
  const [one, two] = replicas;

  const results = [await open(one), await open(two), await open(one)];
  const refused = [await open(two), await open(one)];
  await renew();

  expect(results).toEqual(['granted', 'granted', 'granted']);
  expect(refused).toEqual(['project_full', 'project_full']);
  expect([...streams].map(({ isLost }) => isLost)).toEqual([false, false, false]);
  const [first] = streams;
  if (first) close(first);
  await renew();
  expect(await open(two)).toBe('granted');
});

test('the slots of a replica that crashed are free once its lease has expired, and not before (Events: slots)', async () => {
  const { open, replicas, crash, renew, clock } = await started();
  const [one, two] = replicas;
  for (let count = 0; count < perProjectMax; count += 1) await open(one);
  crash(one);
  await renew();

  clock.advance(leaseMs - 1);
  await renew();
  expect(await open(two)).toBe('project_full');
  clock.advance(1);
  await renew();

  expect(await open(two)).toBe('granted');
});

test('a replica that was suspended for longer than its lease ends its streams once another needed their slots, and holds new ones (Events: unavailable)', async () => {
  const { open, replicas, streams, clock, slots } = await started();
  const [one, two] = replicas;
  for (let count = 0; count < perProjectMax; count += 1) await open(one);
  clock.advance(leaseMs);
  await two.renew();
  expect(await open(two)).toBe('granted');

  await one.renew();

  const ofOne = [...streams].filter(({ replica }) => replica === one);
  expect(ofOne.map(({ isLost }) => isLost)).toEqual([true, true, true]);
  expect(await open(one)).toBe('granted');
  expect(slots.validSlotsOf(projectId)).toHaveLength(2);
});

test('a replica that was suspended for longer than its lease keeps its streams in a Project that is not full (Events: slots)', async () => {
  const { open, replicas, streams, clock } = await started();
  const [one, two] = replicas;
  await open(one);
  clock.advance(10 * leaseMs);
  await two.renew();
  expect(await open(two)).toBe('granted');

  await one.renew();

  expect([...streams].map(({ isLost }) => isLost)).toEqual([false, false]);
});

test('the slot of a closed stream is free at its replica before its release is stored (Events: slots)', async () => {
  const { open, replicas, streams, close } = await started();
  const [one] = replicas;
  for (let count = 0; count < perProjectMax; count += 1) await open(one);
  for (const stream of streams) close(stream);

  expect(await open(one)).toBe('granted');
});

test('a replica that stops normally frees its slots at once (Events: slots)', async () => {
  const { open, replicas } = await started();
  const [one, two] = replicas;
  for (let count = 0; count < perProjectMax; count += 1) await open(one);

  await one.close();

  expect(await open(two)).toBe('granted');
});

test('a replica refuses streams past its own limit, and before it is registered', async () => {
  const { open, replicas, renew } = createWorld(atOnce, 1);
  expect(await open(replicas[0])).toBe('unavailable');
  await renew();

  expect([await open(replicas[0]), await open(replicas[0])]).toEqual(['granted', 'unavailable']);
});

type Action =
  | { readonly do: 'close'; readonly nth: number }
  | { readonly do: 'open' | 'flush' | 'crash'; readonly at: 0 | 1 }
  | { readonly do: 'renew'; readonly afterMs: number };

const at = fc.constantFrom(0 as const, 1 as const);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('open' as const), at }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('close' as const), nth: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), at }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('renew' as const), afterMs: fc.nat(leaseMs) }),
  },
);

test('in every interleaving of replicas no Project has more slots than the limit, and no slot is lost (Events: slots) [events-slots]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(action, { maxLength: 25 }),
      async (scheduler, actions) => {
        const world = createWorld(() => scheduler.schedule(Promise.resolve()));
        const { replicas, streams, slots, clock } = world;
        await scheduler.waitFor(world.renew());
        const running = actions.map((one) => start(world, one));
        await scheduler.waitFor(Promise.all(running));

        // Everything ends: two leases without further requests.
        for (let round = 0; round < 3; round += 1) {
          await scheduler.waitFor(world.renew());
          clock.advance(leaseMs);
        }
        await scheduler.waitFor(world.renew());

        expect(world.fullest()).toBeLessThanOrEqual(perProjectMax);
        expect([...streams].filter(({ isLost }) => isLost)).toEqual([]);
        expect(slots.validSlotsOf(projectId)).toHaveLength(streams.size);
        // Whatever is left of earlier streams is not an obstacle to new ones.
        const one = replicas.find(({ isRunning }) => isRunning);
        for (const stream of streams) world.close(stream);
        await scheduler.waitFor(world.renew());
        for (let count = 0; one && count < perProjectMax; count += 1) {
          expect(await scheduler.waitFor(world.open(one))).toBe('granted');
        }
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});

async function start(world: ReturnType<typeof createWorld>, one: Action): Promise<void> {
  const { replicas, streams, clock } = world;
  if (one.do === 'close') {
    const stream = [...streams][one.nth];
    if (stream) world.close(stream);
  } else if (one.do === 'renew') {
    clock.advance(one.afterMs);
    await world.renew();
  } else if (one.do === 'crash') {
    if (replicas.every(({ isRunning }) => isRunning)) world.crash(replicas[one.at]);
  } else if (replicas[one.at].isRunning) {
    if (one.do === 'open') await world.open(replicas[one.at]);
    else await replicas[one.at].flushReleased();
  }
}
