import { ClockSkewed, createJournalClock } from './journal-clock.ts';

const storeStart = 1_800_000_000_000;

/** A machine and its store: both advance with `pass`, the machine's clock can be stepped. */
async function openPair(offsetMaxMs = 1_000) {
  const time = { passedMs: 0, stepMs: 0, roundTripMs: 0, storeStepMs: 0 };
  const clock = createJournalClock({
    clock: { now: () => storeStart + time.passedMs + time.stepMs },
    monotonicNow: () => time.passedMs,
    readStoreTime: async () => {
      time.passedMs += time.roundTripMs;
      return storeStart + time.passedMs + time.storeStepMs;
    },
    offsetMaxMs,
  });
  await clock.measure();
  return { time, clock };
}

describe('The clock of entries', () => {
  test('is the wall clock while it is within the limit of the store', async () => {
    const { time, clock } = await openPair();
    time.passedMs += 3_600_000;
    time.stepMs = -1_000;

    expect(clock.now()).toBe(storeStart + 3_600_000 - 1_000);
    expect(clock.problems()).toEqual([]);
  });

  test.each([
    ['ahead', 1_001, "clock is 1001 ms ahead of MongoDB's"],
    ['behind', -86_400_000, "clock is 86400000 ms behind MongoDB's"],
  ])(
    'stops all writes from the moment it steps %s, and is used again once set',
    async (_way, stepMs, problem) => {
      const { time, clock } = await openPair();
      time.stepMs = stepMs;

      expect(() => clock.now()).toThrow(ClockSkewed);
      expect(clock.problems()).toEqual([problem]);
      expect(clock.offsetMs()).toBe(stepMs);

      time.stepMs = 0;
      expect(clock.now()).toBe(storeStart);
      expect(clock.problems()).toEqual([]);
    },
  );

  test('follows a step of the store with the next measurement', async () => {
    const { time, clock } = await openPair();
    time.storeStepMs = 60_000;
    expect(clock.problems()).toEqual([]);

    await clock.measure();

    expect(() => clock.now()).toThrow(ClockSkewed);
  });

  test('stops all writes before the first measurement', () => {
    const clock = createJournalClock({
      clock: { now: () => storeStart },
      monotonicNow: () => 0,
      readStoreTime: async () => storeStart,
      offsetMaxMs: 1_000,
    });

    expect(() => clock.now()).toThrow(ClockSkewed);
    expect(clock.offsetMs()).toBeNull();
  });

  test('allows for the time a measurement takes', async () => {
    const { time, clock } = await openPair();
    time.roundTripMs = 4_000;
    await clock.measure();

    time.stepMs = 900;

    expect(clock.problems()).toEqual([]);
  });
});
