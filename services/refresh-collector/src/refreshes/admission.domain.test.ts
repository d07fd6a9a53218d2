import { closedReason, latchAfterCount } from './admission.domain.ts';

const open = { operatorClosed: false, countClosed: false, outstanding: 0 };

describe('admission', () => {
  it('closes at the limit and reopens at 90 % of it (Refresh: Admission)', () => {
    const closed = latchAfterCount(open, 100, 100);
    expect(closed.countClosed).toBe(true);
    expect(latchAfterCount(open, 99, 100).countClosed).toBe(false);
    expect(latchAfterCount(closed, 91, 100).countClosed).toBe(true);
    expect(latchAfterCount(closed, 90, 100).countClosed).toBe(false);
  });

  it.each([
    [{ ...open, operatorClosed: true, countClosed: true }, true, 'operator_closed'],
    [{ ...open, countClosed: true }, true, 'global_outstanding_closed'],
    [open, true, 'platform_unavailable'],
    [open, false, null],
  ] as const)(
    'names one reason: %j with the breaker open=%p is %p (Errors: product_unavailable)',
    (latch, breaker, reason) => {
      expect(closedReason(latch, breaker)).toBe(reason);
    },
  );
});
