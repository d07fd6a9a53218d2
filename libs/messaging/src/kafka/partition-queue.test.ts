import { createSemaphore } from '@inventory/runtime/semaphore';
import { waitFor } from '@inventory/testkit/wait-for';
import type { PositionedRecord, SliceResult } from '../partition-work.ts';
import { openPartitionQueue } from './partition-queue.ts';

const fetched = (keys: readonly string[], first = 0): PositionedRecord[] =>
  keys.map((key, index) => ({
    record: { key, value: Buffer.from('{}'), headers: {} },
    position: { topic: 'billing.commands.v1', partition: 0, offset: String(first + index) },
    writtenAtMs: first + index,
  }));
const offsetsOf = (records: readonly PositionedRecord[]) =>
  records.map(({ position }) => Number(position.offset));

/**
 * A queue of slices of up to four records; `failing` and `postponing` count the failures and the
 * postponements left of an offset.
 */
function openQueue(failing = new Map<number, number>(), postponing = new Map<number, number>()) {
  const slices: number[][] = [];
  const commits: number[] = [];
  const lags: number[] = [];
  const idle = Promise.withResolvers<void>();
  const pauses = Promise.withResolvers<void>();
  let isSuspect = false;

  async function handle(records: readonly PositionedRecord[]): Promise<SliceResult> {
    const offsets = offsetsOf(records);
    slices.push(offsets);
    const bad = offsets.find((offset) => (failing.get(offset) ?? 0) > 0);
    isSuspect = bad !== undefined;
    if (bad === undefined) {
      const late = offsets.filter((offset) => (postponing.get(offset) ?? 0) > 0);
      for (const offset of late) postponing.set(offset, (postponing.get(offset) ?? 0) - 1);
      const postponed = new Set(late.map(String));
      return { result: 'done', lastOffset: String(offsets.at(-1)), postponed };
    }
    failing.set(bad, (failing.get(bad) ?? 0) - 1);
    return { result: 'retry', fromOffset: String(offsets[0]), failures: 1 };
  }

  const queue = openPartitionQueue({
    work: {
      handle,
      get sliceMax() {
        return isSuspect ? 1 : 4;
      },
    },
    semaphore: createSemaphore(1),
    retryPause: async () => {},
    postponePause: () => pauses.promise,
    finished: (offset) => commits.push(Number(offset)),
    flooded: () => {},
    tried: () => {},
    progressed: ({ lag }) => {
      lags.push(lag);
      if (lag === 0) idle.resolve();
    },
  });
  return { queue, slices, commits, lags, idle: idle.promise, endPause: pauses.resolve };
}

test('the backlog of one account delays its neighbours by a slice; offsets are committed up to the lowest unfinished', async () => {
  const { queue, slices, commits, idle } = openQueue();

  queue.add(fetched(['hot', 'hot', 'hot', 'hot', 'hot', 'hot', 'a', 'b', 'a']), 0);
  await idle;

  expect(slices).toEqual([[0, 1, 6, 7], [2, 3, 4, 8], [5]]);
  expect(commits).toEqual([1, 4, 8]);
  await queue.close();
});

test('a slice that fails is handled again before any other, one record at a time', async () => {
  const { queue, slices, commits, idle } = openQueue(new Map([[6, 2]]));

  queue.add(fetched(['hot', 'hot', 'hot', 'hot', 'hot', 'hot', 'a']), 0);
  await idle;

  expect(slices.slice(0, 2)).toEqual([[0, 1, 2, 6], [0]]);
  expect(slices.flat().filter((offset) => offset === 6)).toHaveLength(3);
  expect(commits.at(-1)).toBe(6);
  expect(commits).toEqual(commits.toSorted((one, other) => one - other));
  await queue.close();
});

test('a postponed record waits with those after it of its key; other keys are handled and nothing after it is committed', async () => {
  const { queue, slices, commits, lags, idle, endPause } = openQueue(
    new Map([[3, 1]]),
    new Map([[0, 1]]),
  );
  queue.add(fetched(['wait', 'wait', 'wait', 'a', 'b']), 0);
  await waitFor('only what waits is left', () => lags.at(-1) === 3);
  queue.add(fetched(['wait', 'c'], 5), 0);
  await waitFor('what came meanwhile is handled', () => lags.at(-1) === 4);
  const before = [...commits];
  endPause();
  await idle;

  // After the failure the first record is handled alone, and one after it of its key was taken too.
  expect(slices).toEqual([[0, 1, 3, 4], [0], [3, 4], [6], [0, 1, 2, 5]]);
  expect(before).toEqual([]);
  expect(commits).toEqual([6]);
  await queue.close();
});

test('records of a resting key alone start nothing, and are handled after its pause', async () => {
  const { queue, slices, lags, idle, endPause } = openQueue(new Map(), new Map([[0, 1]]));
  queue.add(fetched(['wait']), 0);
  await waitFor('it is postponed', () => slices.length === 1);
  queue.add(fetched(['wait'], 1), 0);
  await waitFor('the other waits too', () => lags.at(-1) === 2);

  endPause();
  await idle;

  expect(slices).toEqual([[0], [0, 1]]);
  await queue.close();
});

test('a queue is closed while a record is postponed', async () => {
  const { queue, slices, lags, endPause } = openQueue(new Map(), new Map([[0, 1]]));
  queue.add(fetched(['wait', 'a']), 0);
  await waitFor('the remainder is handled', () => lags.at(-1) === 1);

  await queue.close();
  endPause();

  expect(slices).toEqual([[0, 1]]);
});
