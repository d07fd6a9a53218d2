import { DeadlineExceeded, pause, withDeadline } from './wait.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a deadline ends the wait with an error that names the operation, not the work itself', async () => {
  const work = Promise.withResolvers<string>();
  const failure = expect(withDeadline(work.promise, 100, 'closing the store')).rejects.toThrow(
    new DeadlineExceeded('closing the store took longer than 100 ms'),
  );

  await jest.advanceTimersByTimeAsync(100);
  await failure;

  work.resolve('late');
  expect(await work.promise).toBe('late');
});

test('work that ends in time settles the wait and leaves no timer', async () => {
  await expect(withDeadline(Promise.resolve(7), 100, 'x')).resolves.toBe(7);
  await expect(withDeadline(Promise.reject(new Error('no')), 100, 'x')).rejects.toThrow('no');

  expect(jest.getTimerCount()).toBe(0);
});

test('a pause ends when its signal is aborted, before or during it', async () => {
  const controller = new AbortController();
  const paused = pause(3_600_000, controller.signal);

  controller.abort();

  await paused;
  await pause(3_600_000, controller.signal);
});
