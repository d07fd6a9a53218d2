import { createTickFlush } from './tick-flush.ts';

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

test('all hubs with events of one tick of the event loop are flushed together, each once (Events: fan-out)', async () => {
  const scheduled = jest.spyOn(globalThis, 'setImmediate');
  const flushSoon = createTickFlush();
  const flushed: string[] = [];
  const [one, other] = [() => void flushed.push('one'), () => void flushed.push('other')];

  for (const flush of [one, other, one, one, other]) flushSoon(flush);
  const calls = scheduled.mock.calls.length;
  scheduled.mockRestore();
  expect(flushed).toEqual([]);
  await nextTick();

  expect(flushed).toEqual(['one', 'other']);
  expect(calls).toBe(1);
});

test('what is requested during a flush is done in the next tick', async () => {
  const flushSoon = createTickFlush();
  const flushed: string[] = [];
  const again = () => void flushed.push('again');
  flushSoon(() => {
    flushed.push('first');
    flushSoon(again);
  });

  await nextTick();
  expect(flushed).toEqual(['first']);
  await nextTick();
  expect(flushed).toEqual(['first', 'again']);
});
