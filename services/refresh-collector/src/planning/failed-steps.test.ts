import { createTestClock } from '@inventory/testkit/test-clock';
import { createFailedSteps, setAsideFailures } from './failed-steps.ts';

const backoff = { firstMs: 1_000, maxMs: 300_000 };

describe('a step of the plan that fails again and again', () => {
  it('is retried after pauses that double up to their limit, and counted from the fifth failure on', () => {
    const clock = createTestClock();
    const steps = createFailedSteps(clock);
    const pauses: number[] = [];

    for (let failures = 1; failures <= 12; failures += 1) {
      expect(steps.isDue('bad')).toBe(true);
      const { pauseMs } = steps.recordFailure('bad', backoff);
      expect([steps.isDue('bad'), steps.isDue('other')]).toEqual([false, true]);
      expect(steps.setAside).toBe(failures < setAsideFailures ? 0 : 1);
      pauses.push(pauseMs);
      clock.advance(pauseMs);
    }

    for (const [index, pauseMs] of pauses.entries()) {
      const longestMs = Math.min(1_000 * 2 ** index, 300_000);
      expect(pauseMs).toBeGreaterThanOrEqual(longestMs / 2);
      expect(pauseMs).toBeLessThanOrEqual(longestMs);
    }
  });

  it('is retried at once by a clock that was set back: no pause becomes longer', () => {
    const clock = createTestClock();
    const steps = createFailedSteps(clock);
    steps.recordFailure('bad', backoff);

    clock.advance(-86_400_000);

    expect(steps.isDue('bad')).toBe(true);
  });

  it('is forgotten with its refresh, and once it succeeds', () => {
    const steps = createFailedSteps(createTestClock());
    for (const id of ['ended', 'repaired', 'bad']) {
      for (let failures = 0; failures < setAsideFailures; failures += 1) {
        steps.recordFailure(id, backoff);
      }
    }

    steps.keepOnly((id) => id !== 'ended');
    steps.recordSuccess('repaired');

    expect([steps.isDue('ended'), steps.isDue('repaired'), steps.setAside]).toEqual([
      true,
      true,
      1,
    ]);
  });

  it('is retried at once when another one succeeds after its failures: their cause may be the same', () => {
    const steps = createFailedSteps(createTestClock());
    for (const id of ['first', 'second', 'second']) steps.recordFailure(id, backoff);

    steps.recordSuccess('never failed');
    expect(steps.isDue('second')).toBe(false);
    steps.recordSuccess('first');

    expect(steps.isDue('second')).toBe(true);
    expect(steps.recordFailure('second', backoff).failures).toBe(3);
  });
});
