import { createLogger } from './logger.ts';
import { type Loop, startLoop } from './loop.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const hourMs = 3_600_000;
let loop: Loop;

/** A loop whose rounds the test plays by hand. */
function recordRounds(idleMs = hourMs) {
  const rounds: PromiseWithResolvers<boolean>[] = [];
  const began: (() => void)[] = [];
  loop = startLoop({
    name: 'test',
    idleMs,
    logger,
    round: () => {
      const round = Promise.withResolvers<boolean>();
      rounds.push(round);
      began[rounds.length - 1]?.();
      return round.promise;
    },
  });
  return {
    count: () => rounds.length,
    round: async (index: number) => {
      if (rounds.length <= index) {
        await new Promise<void>((resolve) => {
          began[index] = resolve;
        });
      }
      const round = rounds[index];
      if (round === undefined) throw new Error(`round ${index} never began`);
      return round;
    },
  };
}

afterEach(() => jest.useRealTimers());

/** Lets promises settle; the loop itself waits on timers only. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

test('a round that left work is followed by another at once', async () => {
  const played = recordRounds();

  (await played.round(0)).resolve(true);
  (await played.round(1)).resolve(true);
  const third = await played.round(2);

  const stopped = loop.stop();
  third.resolve(false);
  await stopped;
  expect(played.count()).toBe(3);
});

test('a round that found nothing is followed by a pause, which a wake ends', async () => {
  const played = recordRounds();
  (await played.round(0)).resolve(false);
  await settle();
  expect(played.count()).toBe(1);

  loop.wake();

  (await played.round(1)).resolve(false);
  await settle();
  await loop.stop();
  expect(played.count()).toBe(2);
});

test('a wake during a round is not lost: another round looks again', async () => {
  const played = recordRounds();
  const first = await played.round(0);

  loop.wake();
  first.resolve(false);

  (await played.round(1)).resolve(false);
  await settle();
  await loop.stop();
  expect(played.count()).toBe(2);
});

test('the pause is as long as it is set', async () => {
  jest.useFakeTimers();
  const played = recordRounds(500);
  (await played.round(0)).resolve(false);
  await settle();

  await jest.advanceTimersByTimeAsync(499);
  expect(played.count()).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(played.count()).toBe(2);

  (await played.round(1)).resolve(false);
  await settle();
  await loop.stop();
});

test('a failing round is tried again after a growing delay and never ends the loop', async () => {
  jest.useFakeTimers();
  const played = recordRounds();
  const gaps: number[] = [];
  for (let failures = 1; failures <= 9; failures += 1) {
    (await played.round(failures - 1)).reject(new Error('store away'));
    await settle();
    const before = Date.now();
    while (played.count() === failures) await jest.advanceTimersByTimeAsync(10);
    gaps.push(Date.now() - before);
  }

  // Full jitter in the upper half: a step is never shorter than half of what it stands for.
  expect(gaps[0]).toBeGreaterThanOrEqual(100);
  expect(gaps[4]).toBeGreaterThanOrEqual(1_600);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10_010);

  (await played.round(9)).resolve(false);
  await settle();
  await loop.stop();
});

test('a round that throws at once is a failed round', async () => {
  let rounds = 0;
  loop = startLoop({
    name: 'test',
    idleMs: hourMs,
    logger,
    round: () => {
      rounds += 1;
      throw new TypeError('ours');
    },
  });
  await settle();
  expect(rounds).toBe(1);

  loop.wake();
  await settle();

  expect(rounds).toBe(2);
  await loop.stop();
});

test('stop lets the running round end, tells it to, and begins no other', async () => {
  const gate = Promise.withResolvers<boolean>();
  let told: AbortSignal | undefined;
  let rounds = 0;
  loop = startLoop({
    name: 'test',
    idleMs: 0,
    logger,
    round: (signal) => {
      told = signal;
      rounds += 1;
      return gate.promise;
    },
  });
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await settle();
  expect([stopped, told?.aborted]).toEqual([false, true]);

  loop.wake();
  gate.resolve(true);
  await stopping;

  expect(rounds).toBe(1);
});
