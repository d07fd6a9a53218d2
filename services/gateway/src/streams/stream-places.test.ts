import type { CredentialId } from '@inventory/contracts/ids';
import { createSemaphore } from '@inventory/runtime/semaphore';
import { newCredentialId, newProjectId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { createMemoryPlaces } from '../../test/support/memory-places.ts';
import type { ClosingReason } from './event-frame.domain.ts';
import {
  createStreamPlaces,
  type HeldPlace,
  type PlaceResult,
  type StreamPlaces,
} from './stream-places.ts';

const projectId = newProjectId();
const [key, otherKey] = [newCredentialId(), newCredentialId()];
const perProjectMax = 3;
const leaseMs = 20_000;

interface OpenStream {
  readonly replica: Replica;
  readonly key: CredentialId;
  readonly place: HeldPlace;
  lost: ClosingReason | null;
}
interface Replica extends StreamPlaces {
  isRunning: boolean;
}

/** Replicas over one store in memory, with the streams that each of them holds. */
function createWorld(step: () => Promise<void>, totalMax = 100) {
  const clock = createTestClock();
  let fullest = 0;
  const store = createMemoryPlaces(step, () => {
    fullest = Math.max(fullest, store.placesOf(projectId).length);
  });
  let serial = 0;
  const identifiers = {
    uuidV7() {
      serial += 1;
      return String(serial).padStart(6, '0');
    },
  };
  const limits = { perProjectMax, totalMax, acquireMs: 600_000 };
  const streams = new Set<OpenStream>();

  function createReplica(): Replica {
    const streamPlaces = createStreamPlaces({
      ...{ places: store.places, replicas: store.replicas, limits, identifiers, leaseMs, clock },
      async untilRenewed() {
        for (const one of running()) await one.renew();
      },
      onReleased: () => {},
    });
    // As a periodic job does: one renewal at a time.
    const renewals = createSemaphore(1);
    return { ...streamPlaces, renew: () => renewals.run(streamPlaces.renew), isRunning: true };
  }
  const replicas: readonly [Replica, Replica] = [createReplica(), createReplica()];
  const running = () => replicas.filter(({ isRunning }) => isRunning);

  return {
    ...{ clock, store, replicas, streams },
    fullest: () => fullest,
    async open(
      replica: Replica,
      credentialId: CredentialId,
      connected = new AbortController().signal,
    ): Promise<PlaceResult['result']> {
      const acquired = await replica.acquire(projectId, credentialId, connected);
      if (acquired.result !== 'granted') return acquired.result;
      const stream: OpenStream = { replica, key: credentialId, place: acquired.place, lost: null };
      // A replica that crashed meanwhile holds nothing.
      if (replica.isRunning) streams.add(stream);
      acquired.place.onLost((reason) => {
        stream.lost = reason;
      });
      return 'granted';
    },
    close(stream: OpenStream): void {
      if (streams.delete(stream)) stream.place.release();
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
        if (stream.lost) {
          streams.delete(stream);
          stream.place.release();
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

test('a Project has as many streams as places over all replicas, and a stream of another key makes no room (Events: stream_limit_exceeded) [events-places]', async () => {
  const { open, replicas, streams } = await started();
  const [one, two] = replicas;

  const results = [await open(one, key), await open(two, key), await open(one, key)];
  const other = await open(two, otherKey);

  expect(results).toEqual(['granted', 'granted', 'granted']);
  expect(other).toBe('project_full');
  expect([...streams].map(({ lost }) => lost)).toEqual([null, null, null]);
});

test('in a full Project the oldest stream of the same key makes room, on whatever replica it is (Events: superseded) [events-places]', async () => {
  const { open, replicas, streams, renew, store } = await started();
  const [one, two] = replicas;
  await open(two, otherKey);
  await open(one, key);
  await open(one, key);
  const [others, oldest, newer] = [...streams];

  expect(await open(two, key)).toBe('granted');
  await renew();

  expect([others?.lost, oldest?.lost, newer?.lost]).toEqual([null, 'superseded', null]);
  expect(streams.size).toBe(perProjectMax);
  expect(store.placesOf(projectId)).toHaveLength(perProjectMax);
});

test('streams that return after the loss of their replica take its places, and none of a running replica ends (Events: superseded) [events-places]', async () => {
  const { open, replicas, streams, crash, renew } = await started();
  const [one, two] = replicas;
  await open(two, key);
  await open(one, key);
  await open(one, key);
  crash(one);

  const returned = await Promise.all([open(two, key), open(two, key)]);
  await renew();

  expect(returned).toEqual(['granted', 'granted']);
  expect([...streams].map(({ replica, lost }) => [replica, lost])).toEqual([
    [two, null],
    [two, null],
    [two, null],
  ]);
});

test('a client that is gone before its place is acquired, or while it is, takes none and ends no other stream (Events: superseded) [events-places]', async () => {
  // Before the request, then before and after adding, listing places and listing replicas, and while
  // it waits for the renewals of the others.
  const moments = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const outcomes = moments.map(async (goneAt) => {
    const client = new AbortController();
    let moment = Number.NaN;
    const world = createWorld(async () => {
      moment += 1;
      if (moment === goneAt) client.abort();
    });
    await world.renew();
    const { open, replicas, streams } = world;
    for (let count = 0; count < perProjectMax; count += 1) await open(replicas[1], key);
    moment = 0;
    if (goneAt === 0) client.abort();
    const result = await open(replicas[0], key, client.signal);
    // Removes the streams that have ended.
    await world.renew();
    return [result, streams.size];
  });

  expect(await Promise.all(outcomes)).toEqual(moments.map(() => ['unavailable', perProjectMax]));
});

test('the places of a replica that crashed are free once its lease has expired, and not before (Events: places)', async () => {
  const { open, replicas, crash, renew, clock } = await started();
  const [one, two] = replicas;
  for (let count = 0; count < perProjectMax; count += 1) await open(one, key);
  crash(one);
  await renew();

  clock.advance(leaseMs - 1);
  await renew();
  expect(await open(two, otherKey)).toBe('project_full');
  clock.advance(1);
  await renew();

  expect(await open(two, otherKey)).toBe('granted');
});

test('a replica that was suspended for longer than its lease ends its streams, and holds new ones (Events: unavailable)', async () => {
  const { open, replicas, streams, clock, store } = await started();
  const [one, two] = replicas;
  await open(one, key);
  const [stream] = [...streams];
  await two.renew();
  clock.advance(leaseMs);
  await two.renew();

  await one.renew();

  expect(stream?.lost).toBe('unavailable');
  expect(await open(one, key)).toBe('granted');
  expect(store.placesOf(projectId).filter(({ replica }) => store.isPresent(replica))).toHaveLength(
    1,
  );
});

test('the place of a closed stream is free at its replica before its release is stored (Events: places)', async () => {
  const { open, replicas, streams, close } = await started();
  const [one] = replicas;
  for (let count = 0; count < perProjectMax; count += 1) await open(one, key);
  for (const stream of streams) close(stream);

  expect(await open(one, otherKey)).toBe('granted');
});

test('a replica that stops normally frees its places at once (Events: places)', async () => {
  const { open, replicas } = await started();
  const [one, two] = replicas;
  for (let count = 0; count < perProjectMax; count += 1) await open(one, key);

  await one.close();

  expect(await open(two, otherKey)).toBe('granted');
});

test('a replica refuses streams past its own limit, and before it is registered', async () => {
  const { open, replicas, renew } = createWorld(atOnce, 1);
  expect(await open(replicas[0], key)).toBe('unavailable');
  await renew();

  expect([await open(replicas[0], key), await open(replicas[0], key)]).toEqual([
    'granted',
    'unavailable',
  ]);
});

type Action =
  | { readonly do: 'open'; readonly at: 0 | 1; readonly key: CredentialId }
  | { readonly do: 'close'; readonly nth: number }
  | { readonly do: 'flush' | 'crash'; readonly at: 0 | 1 }
  | { readonly do: 'renew'; readonly afterMs: number };

const at = fc.constantFrom(0 as const, 1 as const);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      at,
      key: fc.constantFrom(key, otherKey),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('close' as const), nth: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), at }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('renew' as const), afterMs: fc.nat(leaseMs) }),
  },
);

test('in every interleaving of replicas no Project has more places than the limit, and no place is lost (Events: places) [events-places]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(action, { maxLength: 25 }),
      async (scheduler, actions) => {
        const world = createWorld(() => scheduler.schedule(Promise.resolve()));
        const { replicas, streams, store, clock } = world;
        await scheduler.waitFor(world.renew());
        const running = actions.map((one) => start(world, one));
        await scheduler.waitFor(Promise.all(running));

        // Everything ends: two leases without further requests.
        for (let round = 0; round < 3; round += 1) {
          await scheduler.waitFor(world.renew());
          clock.advance(leaseMs);
        }
        await scheduler.waitFor(world.renew());

        const present = store.placesOf(projectId).filter(({ replica }) => store.isPresent(replica));
        expect(world.fullest()).toBeLessThanOrEqual(perProjectMax);
        expect([...streams].filter(({ lost }) => lost !== null)).toEqual([]);
        expect(present).toHaveLength(streams.size);
        // Whatever is left of earlier streams is no obstacle to new ones.
        const one = replicas.find(({ isRunning }) => isRunning);
        for (const stream of streams) world.close(stream);
        await scheduler.waitFor(world.renew());
        for (let count = 0; one && count < perProjectMax; count += 1) {
          expect(await scheduler.waitFor(world.open(one, key))).toBe('granted');
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
    if (one.do === 'open') await world.open(replicas[one.at], one.key);
    else await replicas[one.at].flushReleased();
  }
}
