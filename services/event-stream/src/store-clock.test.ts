import { createStoreClock } from './store-clock.ts';

const storeStartMs = Date.UTC(2026, 10, 21);
const dayMs = 24 * 3_600_000;

/** A machine, whose clock can be set, and its store. */
function pair() {
  const time = { passedMs: 0, aheadMs: 0, roundTripMs: 0, storeAheadMs: 0 };
  const clock = createStoreClock({
    clock: { now: () => storeStartMs + time.passedMs + time.aheadMs },
    monotonicNow: () => time.passedMs,
    readStoreTime: async () => {
      time.passedMs += time.roundTripMs;
      return storeStartMs + time.passedMs + time.storeAheadMs;
    },
    offsetMaxMs: 5_000,
  });
  return { time, clock };
}

test.each([-400 * dayMs, -dayMs, -5_001, 5_001, dayMs, 400 * dayMs])(
  'a clock that is %d ms off is replaced by that of the store, from the start and when it is set later, until it is right (architecture: several replicas)',
  async (aheadMs) => {
    const { time, clock } = pair();
    time.aheadMs = aheadMs;
    await clock.measure();
    const started = clock.now();

    time.passedMs += 1_000;
    time.aheadMs = 0;
    const right = clock.now();
    time.passedMs += 3_600_000;
    time.aheadMs = aheadMs;
    const set = clock.now();

    expect([started, right, set].map((atMs) => atMs - storeStartMs)).toEqual([0, 1_000, 3_601_000]);
  },
);

test('a clock within five seconds and the error of the measurement is used as it is, and the store is followed by each measurement', async () => {
  const { time, clock } = pair();
  time.roundTripMs = 4_000;
  await clock.measure();
  time.aheadMs = 7_000;
  const close = clock.now();

  time.roundTripMs = 0;
  time.storeAheadMs = -60_000;
  await clock.measure();
  const followed = clock.now();

  expect([close - storeStartMs, followed - storeStartMs]).toEqual([11_000, -56_000]);
});
