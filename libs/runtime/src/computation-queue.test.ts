import { setImmediate as nextTurn } from 'node:timers/promises';
import { createComputationQueue } from './computation-queue.ts';

test('between two long computations the rest of the process has its turn', async () => {
  const enqueueComputation = createComputationQueue();
  const order: string[] = [];
  const long = [1, 2, 3].map((number) => enqueueComputation(() => order.push(`long ${number}`)));
  const short = (async () => {
    for (let number = 1; number <= 3; number += 1) {
      await nextTurn();
      order.push(`short ${number}`);
    }
  })();

  await Promise.all([...long, short]);

  const places = (kind: string) =>
    order.flatMap((name, place) => (name.startsWith(kind) ? place : []));
  expect(order.filter((name) => name.startsWith('long'))).toEqual(['long 1', 'long 2', 'long 3']);
  for (const [index, place] of places('long').entries()) {
    const between = places('short').filter((short) => short < place).length;
    expect(between).toBeGreaterThanOrEqual(index);
  }
});

test('a computation that throws fails its own caller and nobody after it', async () => {
  const enqueueComputation = createComputationQueue();

  const failed = enqueueComputation(() => {
    throw new Error('odd page');
  });
  const next = enqueueComputation(() => 'done');

  await expect(failed).rejects.toThrow('odd page');
  await expect(next).resolves.toBe('done');
});
