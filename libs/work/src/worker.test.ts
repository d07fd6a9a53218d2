import { createLogger } from '@inventory/runtime/logger';
import { createMemoryQueue, type MemoryQueue } from '@inventory/testkit/memory-queue';
import { passingStoreErrors, serverError } from '@inventory/testkit/passing-store-errors';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { createWorker, type Worker, type WorkKind, type WorkResult } from './worker.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const again = { firstMs: 10_000, maxMs: 60_000 };

type Work = (id: string, tries: number) => Promise<WorkResult>;

function openWorker(
  queue: WorkKind<string>['queue'],
  work: Work,
  { clock, slots = 400, leaseMs }: { clock: TestClock; slots?: number; leaseMs?: number },
): { worker: Worker<string>; woken: () => number } {
  let wakes = 0;
  const kind: WorkKind<string> = {
    name: 'test',
    queue,
    slots,
    again,
    ...(leaseMs === undefined ? {} : { leaseMs }),
    work: ({ id, tries }) => work(id, tries),
  };
  const wake = () => {
    wakes += 1;
  };
  const worker = createWorker(kind, {
    clock,
    owner: 'a',
    logger,
    wake,
    wakeIn: () => {},
    stopping: new AbortController().signal,
    random: () => 1,
  });
  return { worker, woken: () => wakes };
}

function filled(count: number): MemoryQueue<string> {
  const queue = createMemoryQueue<string>();
  for (let at = 0; at < count; at += 1) queue.add(`item ${at}`, '', at);
  return queue;
}

describe('work', () => {
  it.each([
    { time: 'its pause', claim: {} },
    { time: 'a lease', claim: { leaseMs: 35_000 } },
  ])(
    'with $time to end in is repeated with growing pauses until it is done, also after errors and what could not be tried',
    async ({ claim }) => {
      const clock = createTestClock(1_000);
      const queue = filled(1);
      const results: (() => Promise<WorkResult>)[] = [
        async () => 'later',
        async () => Promise.reject(new Error('failed')),
        async () => 2_000,
        async () => 'later',
        async () => 'later',
        async () => 'done',
      ];
      const tries: number[] = [];
      const { worker } = openWorker(
        queue,
        async (_id, claims) => {
          tries.push(claims);
          return (await results.shift()?.()) ?? 'done';
        },
        { clock, ...claim },
      );
      const pauses: number[] = [];
      while (queue.pending.size > 0) {
        // After a failure it is left to others for as many polls.
        for (let polls = 0; polls < 4; polls += 1) {
          await worker.runOnce();
          await worker.idle();
        }
        const pauseMs = (queue.pending.get('item 0')?.dueAtMs ?? clock.now()) - clock.now();
        pauses.push(pauseMs);
        clock.advance(pauseMs - 1);
        expect(await worker.runOnce()).toBe(false);
        clock.advance(1);
      }

      expect(pauses).toEqual([10_000, 20_000, 2_000, 40_000, 60_000, 0]);
      expect(tries).toEqual([1, 2, 3, 3, 4, 5]);
    },
  );

  it.each([
    { time: 'its pause', claim: {} },
    { time: 'a lease', claim: { leaseMs: 35_000 } },
  ])(
    'with $time to end in uses up no try while the store is unavailable, and its end is recorded once the store is back',
    async ({ claim }) => {
      const clock = createTestClock(1_000);
      const queue = filled(passingStoreErrors.length);
      const away = new Map(passingStoreErrors.map(([, error], at) => [`item ${at}`, error]));
      /** Rejects the first time for each item. */
      const once = (calls: Set<string>, id: string) => {
        if (calls.has(id)) return;
        calls.add(id);
        throw away.get(id);
      };
      const [ends, works] = [new Set<string>(), new Set<string>()];
      const failing: WorkKind<string>['queue'] = {
        ...queue,
        async postpone(item, untilMs, counting) {
          once(ends, item.id);
          await queue.postpone(item, untilMs, counting);
        },
        async complete(item) {
          once(ends, item.id);
          await queue.complete(item);
        },
      };
      const tries: number[] = [];
      const { worker } = openWorker(
        failing,
        async (id, claims) => {
          tries.push(claims);
          once(works, id);
          return 'done';
        },
        { clock, ...claim },
      );

      await worker.runOnce();
      await worker.idle();
      clock.advance(again.firstMs);
      ends.clear();
      // What failed here is left to others at one poll.
      for (let polls = 0; polls < 2; polls += 1) {
        await worker.runOnce();
        await worker.idle();
      }

      expect(new Set(tries)).toEqual(new Set([1]));
      expect(tries).toHaveLength(2 * passingStoreErrors.length);
      expect(queue.pending.size).toBe(0);
    },
  );

  it('whose end cannot be recorded before others may claim it is left to them', async () => {
    const clock = createTestClock(1_000);
    const queue = filled(1);
    const failing: WorkKind<string>['queue'] = {
      ...queue,
      async complete() {
        clock.advance(again.firstMs / 2);
        throw serverError({ code: 10_107 });
      },
    };
    const { worker } = openWorker(failing, async () => 'done', { clock });

    await worker.runOnce();
    await worker.idle();

    expect(clock.now()).toBe(1_000 + again.firstMs);
    expect([...queue.pending.keys()]).toEqual(['item 0']);
  });

  it('without an end costs its own slots, and nothing else waits for it, nor is it begun twice here', async () => {
    const clock = createTestClock(1_000);
    const queue = filled(200);
    const done: string[] = [];
    const hangs = (id: string) => Number(id.slice(5)) < 15;
    let hung = 0;
    const { worker, woken } = openWorker(
      queue,
      async (id) => {
        if (hangs(id)) {
          hung += 1;
          return new Promise(() => {});
        }
        done.push(id);
        return 'done';
      },
      { clock, slots: 16 },
    );

    let rounds = 0;
    do {
      const before = woken();
      rounds += 1;
      await worker.runOnce();
      clock.advance(again.maxMs);
      // What ended has freed its slots, and requests the next round.
      while (woken() === before && done.length < 185) await Promise.resolve();
    } while (done.length < 185 && rounds < 400);

    expect(new Set(done).size).toBe(185);
    expect(hung).toBe(15);
  });

  it('that is inserted as claimed takes a slot before, and begins without another claim', async () => {
    const clock = createTestClock(1_000);
    const queue = filled(2);
    const worked: [string, number][] = [];
    const { worker } = openWorker(
      queue,
      async (id, tries) => {
        worked.push([id, tries]);
        return 'done';
      },
      { clock, slots: 2 },
    );

    const [used, unused] = [worker.reserve(), worker.reserve()];
    expect(worker.reserve()).toBeNull();
    expect(await worker.runOnce()).toBe(false);
    expect(used?.claim).toEqual({ owner: 'a', dueAtMs: clock.now() + again.firstMs });
    unused?.release();
    used?.begin('inserted', '');
    await worker.runOnce();
    await worker.idle();

    expect(worked).toEqual([
      ['inserted', 1],
      ['item 0', 1],
    ]);
  });

  it('of a key with ten thousand items takes the slots of its key, and other keys theirs', async () => {
    const clock = createTestClock(1_000_000);
    const queue = createMemoryQueue<string>((item) => item);
    for (let at = 0; at < 10_000; at += 1) queue.add(`busy ${at}`, 'busy', at);
    for (let at = 0; at < 30; at += 1) queue.add(`quiet ${at}`, `quiet ${at % 3}`, 20_000 + at);
    const running = new Map<string, number>();
    const most = new Map<string, number>();
    const done: string[] = [];
    const release: (() => void)[] = [];
    const kind: WorkKind<string> = {
      ...{ name: 'test', queue, slots: 16, again },
      perKey: { slots: 4, keyOf: (item) => item },
      async work({ id, item }) {
        running.set(item, (running.get(item) ?? 0) + 1);
        most.set(item, Math.max(most.get(item) ?? 0, running.get(item) ?? 0));
        if (item === 'busy') await new Promise<void>((resolve) => release.push(resolve));
        running.set(item, (running.get(item) ?? 1) - 1);
        done.push(id);
        return 'done';
      },
    };
    let wakes = 0;
    const wake = () => {
      wakes += 1;
    };
    const stopping = new AbortController().signal;
    const deps = { clock, owner: 'a', logger, wake, wakeIn: () => {}, stopping };
    const worker = createWorker(kind, deps);
    const quiet = () => done.filter((id) => id.startsWith('quiet')).length;

    for (let rounds = 0; rounds < 100 && quiet() < 30; rounds += 1) {
      await worker.runOnce();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const before = wakes;
    for (const end of release.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
    await worker.runOnce();

    expect(quiet()).toBe(30);
    expect(wakes).toBeGreaterThan(before);
    expect(Math.max(...most.values())).toBe(4);
    expect(release).toHaveLength(4);
  });

  it('that fails on one replica is done by another, although the first one wakes when it is due', async () => {
    const clock = createTestClock(1_000_000);
    const queue = filled(1);
    const open = (work: () => Promise<WorkResult>) =>
      createWorker(
        {
          ...{ name: 'test', queue, slots: 1, leaseMs: 30_000, work },
          again: { firstMs: 2_000, maxMs: 30_000 },
        },
        {
          ...{ clock, owner: 'a', logger, wake: () => {}, wakeIn: () => {} },
          stopping: new AbortController().signal,
        },
      );
    const failing = open(() => Promise.reject(new Error('no broker')));
    const other = open(async () => 'done');

    let rounds = 0;
    for (; rounds < 10 && queue.pending.size > 0; rounds += 1) {
      clock.advance((queue.pending.get('item 0')?.dueAtMs ?? clock.now()) - clock.now());
      await failing.runOnce();
      await failing.idle();
      clock.advance(1);
      await other.runOnce();
      await other.idle();
    }

    expect(rounds).toBeLessThanOrEqual(2);
  });

  it.each([
    [-1, 0],
    [7_000, 7_000],
    [10_000, 10_000],
    [86_400_000, 0],
  ])(
    'first due in %i ms is polled in %i ms, a wait beyond the longest at once',
    async (inMs, pollMs) => {
      const clock = createTestClock(1_000);
      const found = { id: 'a', item: '', dueAtMs: 1_000 + inMs, tries: 1, ownerBefore: 'ahead' };
      const queue = { ...filled(0), findDue: async () => [found] };
      const { worker } = openWorker(queue, async () => 'done', { clock });

      expect(await worker.dueInMs(10_000)).toBe(pollMs);
      worker.stop();
    },
  );

  it('that cannot be claimed does not delay the others, and fails the round', async () => {
    const clock = createTestClock(1_000);
    const queue = filled(3);
    const done: string[] = [];
    const failing: WorkKind<string>['queue'] = {
      ...queue,
      claim: async (found, owner, untilMs) => {
        if (found.id === 'item 0') throw new Error('away');
        return queue.claim(found, owner, untilMs);
      },
    };
    const { worker } = openWorker(
      failing,
      async (id) => {
        done.push(id);
        return 'done';
      },
      { clock },
    );

    await expect(worker.runOnce()).rejects.toThrow('away');
    await worker.idle();

    expect(done).toEqual(['item 1', 'item 2']);
  });
});

/** What may happen to one item in one round of one replica. */
const event = fc.record({
  replica: fc.nat(4),
  afterMs: fc.constantFrom(0, 1, 500, 10_000, 60_000),
  fault: fc.constantFrom(
    'none',
    'none',
    'crash_before_work',
    'crash_after_work',
    'work_fails',
    'result_lost',
    'store_away' as const,
  ),
});
const program = fc.record({
  items: fc.integer({ min: 1, max: 8 }),
  claim: fc.constantFrom({}, { leaseMs: 30_000 }),
  skewsMs: fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 5, maxLength: 5 }),
  events: fc.array(event, { maxLength: 30 }),
});
type Program = typeof program extends fc.Arbitrary<infer Value> ? Value : never;
type Flaw = 'ends before its work' | 'claims without a check' | 'forgets after an error';

/** Replicas that crash, lose results and have no store for a time; then all of it returns. */
async function play({ items, claim, skewsMs, events }: Program, flaw?: Flaw): Promise<void> {
  const clock = createTestClock(1_000_000);
  const queue = filled(items);
  const worked = new Map<string, number>();
  const claims = new Set<string>();
  let fault: Program['events'][number]['fault'] = 'none';
  const crashed = Promise.withResolvers<WorkResult>();
  let isOver = false;
  const round = async (skewMs: number) => {
    const own = createTestClock(clock.now() + skewMs);
    const used: WorkKind<string>['queue'] = {
      ...queue,
      async claim(found, owner, untilMs) {
        if (fault === 'store_away') throw new Error('away');
        const claimed =
          flaw === 'claims without a check'
            ? { ...found, tries: found.tries + 1 }
            : await queue.claim(found, owner, untilMs);
        if (!claimed) return null;
        const name = `${claimed.id} ${claimed.tries}`;
        if (claims.has(name)) throw new Error(`${name} twice`);
        claims.add(name);
        if (flaw === 'ends before its work') await queue.complete(claimed);
        return claimed;
      },
      async complete(item) {
        if (fault !== 'crash_after_work') await queue.complete(item);
      },
      async postpone(item, untilMs, counting) {
        if (!isOver) await queue.postpone(item, untilMs, counting);
      },
    };
    const work: Work = async (id) => {
      if (fault === 'work_fails' && flaw === 'forgets after an error') return 'done';
      if (fault === 'crash_before_work') return crashed.promise;
      if (fault === 'work_fails') throw new Error('failed');
      worked.set(id, (worked.get(id) ?? 0) + 1);
      return fault === 'result_lost' ? 'later' : 'done';
    };
    const { worker } = openWorker(used, work, { clock: own, ...claim });
    await worker.runOnce().catch(() => undefined);
    // A replica that crashed is never idle.
    if (fault !== 'crash_before_work') await worker.idle();
    worker.stop();
  };
  for (const { replica, afterMs, fault: next } of events) {
    clock.advance(afterMs);
    fault = next;
    // Two replicas at once.
    await Promise.all([round(skewsMs[replica] ?? 0), round(skewsMs[(replica + 1) % 5] ?? 0)]);
  }
  fault = 'none';
  clock.advance(again.maxMs + 10_000);
  await round(0);
  for (let at = 0; at < items; at += 1) {
    if (!worked.has(`item ${at}`)) throw new Error(`item ${at} was never worked on`);
  }
  if (queue.pending.size > 0) throw new Error('something still waits');
  isOver = true;
  crashed.resolve('later');
}

const endsAll = (flaw?: Flaw) => fc.asyncProperty(program, (given) => play(given, flaw));

test('whatever crashes, is lost or away, all that waits is worked on and ends within one pause of the return, each claim by one replica, with clocks five seconds apart', async () => {
  await fc.assert(endsAll(), { numRuns: propertyRuns(1_000) });
});

test.each<Flaw>(['ends before its work', 'claims without a check', 'forgets after an error'])(
  'the property notices a worker that %s',
  async (flaw) => {
    const checked = await fc.check(endsAll(flaw), { seed: 4, numRuns: 5_000, endOnFailure: true });
    expect(checked.failed).toBe(true);
  },
);
