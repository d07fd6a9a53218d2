import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createSerialExecutor } from './serial-executor.ts';

test('between two long computations other work of the process runs', async () => {
  const executor = createSerialExecutor();
  const order: string[] = [];
  const long = [1, 2, 3].map((number) => executor.enqueue(() => order.push(`long ${number}`)));
  const short = (async () => {
    for (let number = 1; number <= 3; number += 1) {
      await yieldToEventLoop();
      order.push(`short ${number}`);
    }
  })();

  await Promise.all([...long, short]);

  const indexesOf = (kind: string) =>
    order.flatMap((name, index) => (name.startsWith(kind) ? index : []));
  expect(order.filter((name) => name.startsWith('long'))).toEqual(['long 1', 'long 2', 'long 3']);
  for (const [count, index] of indexesOf('long').entries()) {
    const between = indexesOf('short').filter((short) => short < index).length;
    expect(between).toBeGreaterThanOrEqual(count);
  }
});

test('a computation that throws fails its own caller and no later one', async () => {
  const executor = createSerialExecutor();

  const failed = executor.enqueue(() => {
    throw new Error('odd page');
  });
  const next = executor.enqueue(() => 'done');

  await expect(failed).rejects.toThrow('odd page');
  await expect(next).resolves.toBe('done');
});
