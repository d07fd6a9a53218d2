import type { AccountId, RefreshId } from '@inventory/contracts/ids';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { noPlan, type PublishedPlan } from '../plan/published-plan.domain.ts';
import { watchCapacity } from './watch-capacity.ts';

/** A watch on a current plan with capacity for three refreshes of ten pages. */
function openWatch() {
  const clock = createTestClock();
  let plan: PublishedPlan = {
    ...noPlan,
    atMs: clock.now(),
    pagesPerMinute: 10,
    pagesFree: 30,
    scanPagesMax: 200,
    typicalPages: 10,
  };
  const watch = watchCapacity(() => plan, clock);
  function admitOf(account: string, pages: number | null = null, refresh = account) {
    const noCapacity = watch.missingFor(account, pages);
    const accountId = account as AccountId;
    if (!noCapacity) watch.admitted(only({ refreshId: refresh as RefreshId, accountId }), pages);
    return noCapacity?.full ?? 'admitted';
  }
  return {
    clock,
    watch,
    publish(changed: Partial<PublishedPlan>) {
      plan = { ...plan, atMs: clock.now(), ...changed };
    },
    admit: (accountId: string) => admitOf(accountId),
    /** Of an inventory that is known to have this many pages. */
    admitOf,
  };
}

describe('admission by expected wait', () => {
  it('closes for all once what is admitted fills the plan, until the next one (Errors: product_unavailable) [product-unavailable]', () => {
    const { admit, publish, clock } = openWatch();

    expect(['a', 'b', 'c', 'd'].map(admit)).toEqual(['admitted', 'admitted', 'admitted', 'all']);
    clock.advance(1_000);
    publish({ pagesFree: 10, pagesWaiting: 20 });
    expect(admit('d')).toBe('admitted');
  });

  it('counts the expected pages of an inventory, not typical ones', () => {
    const { admitOf } = openWatch();

    expect(admitOf('a', 31)).toBe('all');
    expect(admitOf('b', 25)).toBe('admitted');
    expect(admitOf('c', 6)).toBe('all');
    expect(admitOf('d', 5)).toBe('admitted');
  });

  it('gives the capacity of a refused refresh to another', () => {
    const { admit, watch } = openWatch();
    for (const account of ['a', 'b', 'c']) admit(account);

    watch.withdrawn('a');

    expect([admit('d'), admit('e')]).toEqual(['admitted', 'all']);
  });

  it('closes for an account with its part, counted since the plan (Errors: outstanding_limit_exceeded) [outstanding-limit-of-an-account]', () => {
    const { admit, admitOf, publish } = openWatch();
    publish({
      pagesFree: 30,
      pagesWaiting: 10,
      accounts: 1,
      busiest: [{ accountId: 'b', pages: 10, refreshes: 1 }],
    });

    const ofA = ['a1', 'a2', 'a3'].map((id) => admitOf('a', null, id));
    expect([...ofA, admit('b')]).toEqual(['admitted', 'admitted', 'account', 'admitted']);
  });

  it('reserves the part of an account that was refused, for a minute', () => {
    const { admit, publish, clock } = openWatch();
    const busiest = [{ accountId: 'busy', pages: 60, refreshes: 6 }];
    publish({ pagesFree: 0, pagesWaiting: 60, accounts: 1, busiest });
    expect(admit('new')).toBe('all');

    clock.advance(59_000);
    publish({ pagesFree: 30, pagesWaiting: 60 });
    expect(admit('busy')).toBe('account');

    clock.advance(1_000);
    publish({});
    expect(admit('busy')).toBe('admitted');
  });

  it('reserves no part for an inventory that no scan can read', () => {
    const { admit, admitOf, publish } = openWatch();
    publish({
      pagesFree: 30,
      pagesWaiting: 60,
      accounts: 1,
      busiest: [{ accountId: 'busy', pages: 60, refreshes: 6 }],
    });

    expect([admitOf('new', 201), admit('busy')]).toEqual(['scan', 'admitted']);
  });

  it('reserves no part for an account that was admitted since', () => {
    const { admit, publish } = openWatch();
    const busiest = [{ accountId: 'busy', pages: 60, refreshes: 6 }];
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
