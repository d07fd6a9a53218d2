import { type Clock, systemClock } from '@inventory/runtime/clock';

/** A clock that advances only when the test advances it. */
export interface TestClock extends Clock {
  advance(byMs: number): void;
  set(toMs: number): void;
}

export function createTestClock(startMs = Date.UTC(2026, 0, 1)): TestClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (byMs) => {
      nowMs += byMs;
    },
    set: (toMs) => {
      nowMs = toMs;
    },
  };
}

/** The system clock plus an offset that the test advances: for services with pauses of their own. */
export function createRunningClock(): Pick<TestClock, 'now' | 'advance'> {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    advance: (byMs) => {
      aheadMs += byMs;
    },
  };
}
