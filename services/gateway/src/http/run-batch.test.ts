import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runItems } from './run-batch.ts';

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => jest.useRealTimers());

const patient = { concurrencyMax: 3, beginWithinMs: 20_000, late: () => 'late' };

test('results come in the order of the items, whatever takes longest', async () => {
  const results = await runItems([30, 1, 15, 2], {
    ...patient,
    keyOf: String,
    run: async (ticks) => {
      for (let tick = 0; tick < ticks; tick += 1) await yieldToEventLoop();
      return `after ${ticks}`;
    },
  });

  expect(results).toEqual(['after 30', 'after 1', 'after 15', 'after 2']);
});

test('at most the limit runs at once, and items of one key never concurrently [idempotency-key]', async () => {
  const running: string[] = [];
  let most = 0;
  const together: string[] = [];

  await runItems(['a', 'b', 'a', 'c', 'd', 'a', 'b'], {
    ...patient,
    keyOf: (item) => item,
    run: async (item) => {
      if (running.includes(item)) together.push(item);
      running.push(item);
      most = Math.max(most, running.length);
      await yieldToEventLoop();
      running.splice(running.indexOf(item), 1);
      return item;
    },
  });

  expect(together).toEqual([]);
  expect(most).toBe(3);
});

test('what has not begun in time is not begun', async () => {
  const begun: number[] = [];

  const results = await runItems([1, 2, 3], {
    ...patient,
    concurrencyMax: 1,
    beginWithinMs: 20,
    keyOf: String,
    run: async (item) => {
      begun.push(item);
      jest.advanceTimersByTime(item === 1 ? 20 : 1);
      return 'done';
    },
  });

  expect(results).toEqual(['done', 'done', 'late']);
  expect(begun).toEqual([1, 2]);
});
