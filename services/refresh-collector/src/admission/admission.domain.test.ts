import { admissionAfterCount, whyClosed } from './admission.domain.ts';

const open = { operatorClosed: false, countClosed: false, outstanding: 0 };

describe('admission', () => {
  it('closes at the limit and reopens at 90 % of it (Refresh: Admission) [product-unavailable, admission-latch]', () => {
    const closed = admissionAfterCount(open, 100, 100);
    expect(closed.countClosed).toBe(true);
    expect(admissionAfterCount(open, 99, 100).countClosed).toBe(false);
    expect(admissionAfterCount(closed, 91, 100).countClosed).toBe(true);
    expect(admissionAfterCount(closed, 90, 100).countClosed).toBe(false);
  });

  it.each([
    [{ ...open, operatorClosed: true, countClosed: true }, true, 'operator_closed'],
    [{ ...open, countClosed: true }, true, 'global_outstanding_closed'],
    [open, true, 'platform_unavailable'],
    [open, false, null],
  ] as const)(
    'names one reason: %j with the breaker open=%p is %p (Errors: product_unavailable)',
    (state, breaker, reason) => {
      expect(whyClosed(state, breaker)).toBe(reason);
    },
  );
});
