import { type AppBreaker, afterResult, closedBreaker, isOpen } from './app-breaker.ts';

const play = (results: readonly boolean[], from: AppBreaker = closedBreaker, nowMs = 0) =>
  results.reduce((breaker, failed) => afterResult(breaker, failed, nowMs), from);
const times = (count: number, failed: boolean) => Array.from({ length: count }, () => failed);

describe('the breaker of an application', () => {
  it('opens for a minute when nearly everything fails (upstream 6.20)', () => {
    const breaker = play(times(10, true));
    expect(isOpen(breaker, 59_999)).toBe(true);
    expect(isOpen(breaker, 60_000)).toBe(false);
  });

  it('stays closed through an ordinary bad hour, when one call in three fails (upstream 1.4)', () => {
    const hour = Array.from({ length: 300 }, (_, index) => index % 3 === 0);
    expect(isOpen(play(hour), 1)).toBe(false);
  });

  it('stays closed on a few failures alone', () => {
    expect(isOpen(play(times(9, true)), 1)).toBe(false);
  });

  it('opens twice as long when the trouble goes on, and starts over once it is gone', () => {
    const again = play(times(10, true), play(times(10, true)), 60_000);
    expect(again.openUntilMs).toBe(180_000);
    const healed = play(times(30, false), again, 200_000);
    expect(play(times(20, true), healed, 300_000).openUntilMs).toBe(360_000);
  });
});
