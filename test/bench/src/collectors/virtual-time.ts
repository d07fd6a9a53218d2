import { install } from '@sinonjs/fake-timers';

/**
 * Time that stops while operations are in flight and never overtakes the real one: what happens in a
 * second of it does not depend on the speed of the machine.
 */
export interface VirtualTime {
  advance(byMs: number): Promise<void>;
  /** Advances until the work is done. */
  advanceUntil<Value>(work: Promise<Value>): Promise<Value>;
  uninstall(): void;
}

const stepMs = 20;
/** Ticks of the event loop without an operation after which none follows by itself. */
const quietTicks = 5;

/** Replaces timers and dates of this process; `inFlight` counts the operations. */
export function installVirtualTime(inFlight: () => number): VirtualTime {
  const { setTimeout: realTimeout } = globalThis;
  const clock = install({
    now: Date.now(),
    shouldClearNativeTimers: true,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
  const aheadMs = () => clock.now - startMs - (performance.now() - realStartMs);
  const startMs = clock.now;
  const realStartMs = performance.now();

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTicks; quiet = inFlight() === 0 ? quiet + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function step(): Promise<void> {
    await settle();
    const waitMs = aheadMs();
    if (waitMs > 0) await new Promise((resolve) => realTimeout(resolve, waitMs));
    clock.tick(stepMs);
  }

  return {
    async advance(byMs) {
      for (let passedMs = 0; passedMs < byMs; passedMs += stepMs) await step();
      await settle();
    },
    async advanceUntil(work) {
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      work.then(done, done);
      while (!isDone) await step();
      return work;
    },
    uninstall: () => clock.uninstall(),
  };
}
