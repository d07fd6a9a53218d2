import type { ClientEnvironment } from '../src/client-environment.ts';

export interface TestClientEnvironment extends ClientEnvironment {
  /** Every requested pause, in milliseconds. */
  readonly waits: readonly number[];
  /** Every timer that was started, in milliseconds. */
  readonly timers: readonly number[];
  /** How many of them are running. */
  runningTimers(): number;
  /** Fires the running timers. */
  endTimers(): void;
  /** The next timer fires as soon as it starts. */
  endNextTimer(): void;
}

/** Time advances only in pauses, at once; the test fires timers. */
export function createTestClientEnvironment(chance = 0): TestClientEnvironment {
  const waits: number[] = [];
  const timers: number[] = [];
  const running = new Set<() => void>();
  let endsNext = false;
  let nowMs = 0;
  let keys = 0;
  return {
    waits,
    timers,
    runningTimers: () => running.size,
    endTimers() {
      for (const onOver of running) onOver();
      running.clear();
    },
    endNextTimer() {
      endsNext = true;
    },
    startTimer(ms, onOver) {
      timers.push(ms);
      running.add(onOver);
      if (endsNext) setImmediate(() => running.delete(onOver) && onOver());
      endsNext = false;
      return () => running.delete(onOver);
    },
    nowMs: () => nowMs,
    chance: () => chance,
    newKey: () => {
      keys += 1;
      return `key-${keys}`;
    },
    async pause(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      nowMs += ms;
    },
  };
}
