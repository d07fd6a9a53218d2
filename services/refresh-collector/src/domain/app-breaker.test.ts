import { type AppBreaker, afterResult, closedBreaker, isOpen } from './app-breaker.ts';

let serial = 0;
const play = (results: readonly boolean[], from: AppBreaker = closedBreaker, nowMs = 0) =>
  results.reduce((breaker, failed) => {
    serial += 1;
    return afterResult(breaker, { scopeKey: `inventory-${serial}`, failed }, nowMs);
  }, from);
const times = (count: number, failed: boolean) => Array.from({ length: count }, () => failed);

describe('the breaker of an application', () => {
  it('opens for a minute when nearly all inventories fail (upstream 6.20)', () => {
    const breaker = play(times(8, true));
    expect(isOpen(breaker, 59_999)).toBe(true);
    expect(isOpen(breaker, 60_000)).toBe(false);
  });

  it('stays closed through an ordinary bad hour, when one call in three fails (upstream 1.4)', () => {
    const hour = Array.from({ length: 300 }, (_, index) => index % 3 === 0);
    expect(isOpen(play(hour), 1)).toBe(false);
  });

  it('stays closed however often one broken inventory fails', () => {
    const broken = { scopeKey: 'broken', failed: true };
    const breaker = times(50, true).reduce((of) => afterResult(of, broken, 0), closedBreaker);
    expect(isOpen(breaker, 1)).toBe(false);
  });

  it('opens twice as long when the trouble goes on, and starts over once it is gone', () => {
    const again = play(times(8, true), play(times(8, true)), 60_000);
    expect(again.openUntilMs).toBe(180_000);
    const healed = play(times(10, false), again, 200_000);
    expect(play(times(8, true), healed, 300_000).openUntilMs).toBe(360_000);
  });
});
