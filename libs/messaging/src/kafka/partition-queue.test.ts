import { createSemaphore } from '@inventory/runtime/semaphore';
import type { PositionedRecord, SliceResult } from '../partition-work.ts';
import { type FetchedRecord, openPartitionQueue } from './partition-queue.ts';

const fetched = (keys: readonly string[], first = 0): FetchedRecord[] =>
  keys.map((key, index) => ({
    record: { key, value: Buffer.from('{}'), headers: {} },
    position: { topic: 'billing.commands.v1', partition: 0, offset: String(first + index) },
    writtenAtMs: first + index,
  }));
const offsetsOf = (records: readonly PositionedRecord[]) =>
  records.map(({ position }) => Number(position.offset));

/** A queue of slices of up to four records; `failing` counts the failures left of an offset. */
function openQueue(failing = new Map<number, number>()) {
  const slices: number[][] = [];
  const commits: number[] = [];
  const lags: number[] = [];
  const idle = Promise.withResolvers<void>();
  let isSuspect = false;

  async function handle(records: readonly PositionedRecord[]): Promise<SliceResult> {
    const offsets = offsetsOf(records);
    slices.push(offsets);
    const bad = offsets.find((offset) => (failing.get(offset) ?? 0) > 0);
    isSuspect = bad !== undefined;
    if (bad === undefined) return { result: 'done', lastOffset: String(offsets.at(-1)) };
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
    finished: (offset) => commits.push(Number(offset)),
    flooded: () => {},
    tried: () => {},
    progressed: ({ lag }) => {
      lags.push(lag);
      if (lag === 0) idle.resolve();
    },
  });
  return { queue, slices, commits, lags, idle: idle.promise };
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
