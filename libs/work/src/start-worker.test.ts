import { setImmediate as nextTick } from 'node:timers/promises';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openLifetime } from '@inventory/runtime/lifetime';
import { createLogger } from '@inventory/runtime/logger';
import { createMemoryQueue } from '@inventory/testkit/memory-queue';
import { idleAfterMs, idlePauseMs, type StartedWorker, startWorker } from './start-worker.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const minuteMs = 60_000;

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

/** Each poll of the time reads from memory: it has ended before the next step. */
async function advance(byMs: number, stepMs = 50): Promise<void> {
  for (let passedMs = 0; passedMs < byMs; passedMs += stepMs) {
    jest.advanceTimersByTime(stepMs);
    await nextTick();
  }
}

interface Opened {
  readonly worker: StartedWorker<string>;
  readonly add: (id: string, dueInMs: number) => void;
  /** Reads of the queue since the last call. */
  readonly reads: () => number;
  /** When each item was worked on. */
  readonly doneAtMs: Map<string, number>;
}

async function whileOpen(pollEveryMs: number, use: (opened: Opened) => Promise<void>) {
  const queue = createMemoryQueue<string>();
  const lifetime = openLifetime(logger, minuteMs);
  const doneAtMs = new Map<string, number>();
  let reads = 0;
  const worker = startWorker<string>(
    {
      ...{ name: 'test', slots: 10, again: { firstMs: 1_000, maxMs: minuteMs }, pollEveryMs },
      queue: {
        ...queue,
        findDue(...args) {
          reads += 1;
          return queue.findDue(...args);
        },
      },
      async work({ id }) {
        doneAtMs.set(id, Date.now());
        return 'done';
      },
    },
    { lifetime, clock: systemClock, identifiers: systemIdentifiers, logger },
  );
  const add = (id: string, dueInMs: number) => queue.add(id, '', Date.now() + dueInMs);
  const readsSince = () => {
    const since = reads;
    reads = 0;
    return since;
  };
  try {
    await use({ worker, add, reads: readsSince, doneAtMs });
  } finally {
    const closed = lifetime.close();
    await advance(1_000);
    await closed;
  }
}

it.each([500, 1_000, 2_000])(
  'a kind that has nothing to do, polled every %i ms, reads its queue six times a minute after the first one (decisions/0032)',
  (pollEveryMs) =>
    whileOpen(pollEveryMs, async ({ reads }) => {
      await advance(idleAfterMs);
      expect(reads()).toBeLessThanOrEqual(idleAfterMs / pollEveryMs + 2);

      await advance(10 * minuteMs);

      expect(reads()).toBeLessThanOrEqual((10 * minuteMs) / idlePauseMs + 1);
    }),
);

it('what is due while a kind is quiet is worked on at its time if it was there at the last poll, and ten seconds later otherwise', () =>
  whileOpen(1_000, async ({ add, doneAtMs }) => {
    await advance(5 * minuteMs);
    const startMs = Date.now();
    add('left over', 0);
    add('due in half a minute', 30_000);

    await advance(minuteMs);

    const lateMs = (id: string, dueInMs: number) => (doneAtMs.get(id) ?? 0) - startMs - dueInMs;
    expect(lateMs('left over', 0)).toBeLessThanOrEqual(idlePauseMs);
    expect(lateMs('due in half a minute', 30_000)).toBeLessThanOrEqual(1_000);
  }));

it('work that was due far ahead is done on time by a kind that became quiet meanwhile', () =>
  whileOpen(1_000, async ({ add, doneAtMs }) => {
    add('later', 5 * minuteMs);
    const dueAtMs = Date.now() + 5 * minuteMs;

    await advance(6 * minuteMs);

    expect((doneAtMs.get('later') ?? 0) - dueAtMs).toBeLessThanOrEqual(100);
  }));

it('a wake polls at once, and the polls are as frequent again as after the start', () =>
  whileOpen(1_000, async ({ worker, add, reads, doneAtMs }) => {
    await advance(5 * minuteMs);
    const startMs = Date.now();
    add('woken', 0);
    worker.wake();
    await advance(50);
    expect((doneAtMs.get('woken') ?? 0) - startMs).toBeLessThanOrEqual(50);

    reads();
    await advance(minuteMs / 2);
    expect(reads()).toBeGreaterThanOrEqual(29);
  }));
