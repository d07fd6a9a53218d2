import { createTestClock } from '@inventory/testkit/test-clock';
import { noPlan, type PublishedPlan } from './published-plan.domain.ts';
import { watchCapacity } from './watch-capacity.ts';

/** A watch on a current plan with room for three refreshes of ten pages. */
function openWatch() {
  const clock = createTestClock();
  let plan: PublishedPlan = {
    ...noPlan,
    atMs: clock.now(),
    pagesPerMinute: 10,
    pagesFree: 30,
    typicalPages: 10,
  };
  const watch = watchCapacity(() => plan, clock);
  return {
    clock,
    watch,
    publish(changed: Partial<PublishedPlan>) {
      plan = { ...plan, atMs: clock.now(), ...changed };
    },
    admit(accountId: string) {
      const noCapacity = watch.missingFor(accountId);
      if (!noCapacity) watch.admitted(accountId, 1);
      return noCapacity?.full ?? 'admitted';
    },
  };
}

describe('admission by expected wait', () => {
  it('closes for all once what is admitted fills the plan, until the next one (Errors: product_unavailable)', () => {
    const { admit, publish, clock } = openWatch();

    expect(['a', 'b', 'c', 'd'].map(admit)).toEqual(['admitted', 'admitted', 'admitted', 'all']);
    clock.advance(1_000);
    publish({ pagesFree: 10, pagesWaiting: 20 });
    expect(admit('d')).toBe('admitted');
  });

  it('gives the place of a refused refresh to another', () => {
    const { admit, watch } = openWatch();
    for (const account of ['a', 'b', 'c']) admit(account);

    watch.admitted('a', -1);

    expect([admit('d'), admit('e')]).toEqual(['admitted', 'all']);
  });

  it('closes for an account with its part, counted since the plan (Errors: outstanding_limit_exceeded)', () => {
    const { admit, publish } = openWatch();
    publish({
      pagesFree: 30,
      pagesWaiting: 10,
      accounts: 1,
      busiest: [{ accountId: 'b', pages: 10 }],
    });

    expect([admit('a'), admit('a'), admit('a'), admit('b')]).toEqual([
      'admitted',
      'admitted',
      'account',
      'admitted',
    ]);
  });

  it('reserves the part of an account that was refused, for a minute', () => {
    const { admit, publish, clock } = openWatch();
    const busiest = [{ accountId: 'busy', pages: 60 }];
    publish({ pagesFree: 0, pagesWaiting: 60, accounts: 1, busiest });
    expect(admit('new')).toBe('all');

    clock.advance(59_000);
    publish({ pagesFree: 30, pagesWaiting: 60 });
    expect(admit('busy')).toBe('account');

    clock.advance(1_000);
    publish({});
    expect(admit('busy')).toBe('admitted');
  });

  it('reserves no part for an account that was admitted since', () => {
    const { admit, publish } = openWatch();
    const busiest = [{ accountId: 'busy', pages: 60 }];
    publish({ pagesFree: 0, pagesWaiting: 60, accounts: 1, busiest });
    expect(admit('new')).toBe('all');

    publish({ pagesFree: 90, pagesWaiting: 10, accounts: 1, busiest: [] });

    expect([admit('new'), admit('busy')]).toEqual(['admitted', 'admitted']);
  });

  it('refuses nothing by a plan that is older than 30 seconds', () => {
    const { admit, publish, clock } = openWatch();
    publish({ pagesFree: 0 });
    expect(admit('a')).toBe('all');

    clock.advance(30_001);

    expect(admit('a')).toBe('admitted');
  });
});
