import { openLifetime } from './lifetime.ts';
import { createLogger } from './logger.ts';
import { type PeriodicJob, type PeriodicJobOptions, startPeriodicJob } from './periodic-job.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const hourMs = 3_600_000;
let job: PeriodicJob;

/** A job whose runs the test ends by hand. */
function recordRuns(options: Partial<PeriodicJobOptions> = {}) {
  const runs: PromiseWithResolvers<boolean | undefined>[] = [];
  const began: (() => void)[] = [];
  job = startPeriodicJob({
    name: 'test',
    intervalMs: hourMs,
    logger,
    runOnce: () => {
      const run = Promise.withResolvers<boolean | undefined>();
      runs.push(run);
      began[runs.length - 1]?.();
      return run.promise;
    },
    ...options,
  });
  return {
    count: () => runs.length,
    run: async (index: number) => {
      if (runs.length <= index) {
        await new Promise<void>((resolve) => {
          began[index] = resolve;
        });
      }
      const run = runs[index];
      if (run === undefined) throw new Error(`run ${index} never began`);
      return run;
    },
  };
}

afterEach(() => jest.useRealTimers());

/** Lets promises settle; the job itself waits on timers only. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

test('a run that left work is followed by another at once', async () => {
  const recorded = recordRuns();

  (await recorded.run(0)).resolve(true);
  (await recorded.run(1)).resolve(true);
  const third = await recorded.run(2);

  const stopped = job.stop();
  third.resolve(false);
  await stopped;
  expect(recorded.count()).toBe(3);
});

test('a run that left no work is followed by a pause, which a wake ends', async () => {
  const recorded = recordRuns();
  (await recorded.run(0)).resolve(false);
  await settle();
  expect(recorded.count()).toBe(1);

  job.wake();

  (await recorded.run(1)).resolve(false);
  await settle();
  await job.stop();
  expect(recorded.count()).toBe(2);
});

test.each([true, false])(
  'a run that may take a tenth of a core is followed by a pause of nine times its CPU time, however often it is woken: work left %s',
  async (workLeft) => {
    jest.useFakeTimers();
    let cpuMs = 0;
    const recorded = recordRuns({
      intervalMs: 10_000,
      coreShare: { max: 0.1, cpuMs: () => cpuMs },
    });
    const first = await recorded.run(0);
    cpuMs += 28;
    first.resolve(workLeft);
    await settle();

    for (let wake = 0; wake < 10; wake += 1) {
      job.wake();
      await jest.advanceTimersByTimeAsync(24);
    }
    expect(recorded.count()).toBe(1);

    await jest.advanceTimersByTimeAsync(13);
    (await recorded.run(1)).resolve(false);
    await job.stop();
    expect(recorded.count()).toBe(2);
  },
);

test('a run that used no CPU time is followed at once by the one that it was woken for', async () => {
  const recorded = recordRuns({ intervalMs: 10_000, coreShare: { max: 0.1, cpuMs: () => 7 } });
  const first = await recorded.run(0);

  job.wake();
  first.resolve(false);

  (await recorded.run(1)).resolve(false);
  await job.stop();
  expect(recorded.count()).toBe(2);
});

test('a wake during a run is not lost: another run follows', async () => {
  const recorded = recordRuns();
  const first = await recorded.run(0);

  job.wake();
  first.resolve(false);

  (await recorded.run(1)).resolve(false);
  await settle();
  await job.stop();
  expect(recorded.count()).toBe(2);
});

test('the pause is as long as the interval', async () => {
  jest.useFakeTimers();
  const recorded = recordRuns({ intervalMs: 500 });
  (await recorded.run(0)).resolve(false);
  await settle();

  await jest.advanceTimersByTimeAsync(499);
  expect(recorded.count()).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(recorded.count()).toBe(2);

  (await recorded.run(1)).resolve(false);
  await settle();
  await job.stop();
});

test('a failing run is retried after a growing delay and never ends the job', async () => {
  jest.useFakeTimers();
  const recorded = recordRuns();
  const gaps: number[] = [];
  for (let failures = 1; failures <= 9; failures += 1) {
    (await recorded.run(failures - 1)).reject(new Error('store away'));
    await settle();
    const before = Date.now();
    while (recorded.count() === failures) await jest.advanceTimersByTimeAsync(10);
    gaps.push(Date.now() - before);
  }

  // Full jitter in the upper half: a step is never shorter than half of its nominal delay.
  expect(gaps[0]).toBeGreaterThanOrEqual(100);
  expect(gaps[4]).toBeGreaterThanOrEqual(1_600);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10_010);

  (await recorded.run(9)).resolve(false);
  await settle();
  await job.stop();
});

test('a run that throws at once is a failed run', async () => {
  let runs = 0;
  job = startPeriodicJob({
    name: 'test',
    intervalMs: hourMs,
    logger,
    runOnce: () => {
      runs += 1;
      throw new TypeError('ours');
    },
  });
  await settle();
  expect(runs).toBe(1);

  job.wake();
  await settle();

  expect(runs).toBe(2);
  await job.stop();
});

test('stop aborts the signal of the run in progress, waits for it, and starts no other', async () => {
  const ended = Promise.withResolvers<boolean>();
  let signalOfRun: AbortSignal | undefined;
  let runs = 0;
  job = startPeriodicJob({
    name: 'test',
    intervalMs: 0,
    logger,
    runOnce: (stopping) => {
      signalOfRun = stopping;
      runs += 1;
      return ended.promise;
    },
  });
  await settle();
  let stopped = false;
  const stopping = job.stop().then(() => {
    stopped = true;
  });
  await settle();
  expect([stopped, signalOfRun?.aborted]).toEqual([false, true]);

  job.wake();
  ended.resolve(true);
  await stopping;

  expect(runs).toBe(1);
});

test('the first run starts after the first delay', async () => {
  jest.useFakeTimers();
  const recorded = recordRuns({ firstDelayMs: 300 });

  await jest.advanceTimersByTimeAsync(299);
  expect(recorded.count()).toBe(0);
  await jest.advanceTimersByTimeAsync(1);
  expect(recorded.count()).toBe(1);

  (await recorded.run(0)).resolve(false);
  await job.stop();
});

test('a lifetime that closes stops its job after the run in progress', async () => {
  const lifetime = openLifetime(logger, hourMs);
  const recorded = recordRuns({ lifetime });
  const run = await recorded.run(0);

  const closed = lifetime.close();
  run.resolve(true);
  await closed;

  expect(recorded.count()).toBe(1);
});
