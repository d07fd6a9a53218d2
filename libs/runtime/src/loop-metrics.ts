import { elapsedSince, monotonicNow } from './clock.ts';
import { instrumentsOf } from './instruments.ts';

const { counter, gauge } = instrumentsOf();
const labels = { loop: { words: 'the name of the loop', pattern: /^[a-zA-Z ]{3,40}$/ } };

const failures = counter({
  name: 'inventory.loop.failures',
  description: 'Rounds of background work that failed and are tried again',
  labels,
});
const roundAge = gauge({
  name: 'inventory.loop.round.age',
  description:
    'Time since background work last ended a round without a failure, its own pause left out; 0 while it pauses',
  unit: 's',
  labels,
});

export interface MeasuredLoop {
  succeeded(): void;
  failed(): void;
  stopped(): void;
}

/** Tells how the rounds of one loop, which pauses so long between them, go until it is stopped. */
export function measureLoop(name: string, idleMs: number): MeasuredLoop {
  const loop = { loop: name };
  let succeededMs = monotonicNow();
  const stopped = roundAge.observe((observe) =>
    observe(Math.max(0, elapsedSince(succeededMs) - idleMs) / 1_000, loop),
  );
  return {
    succeeded() {
      succeededMs = monotonicNow();
    },
    failed: () => failures.add(1, loop),
    stopped,
  };
}
