import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import { newAccountId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { noPlan } from '../plan/published-plan.domain.ts';
import { createRecentUse } from '../recent-use.ts';
import type { AdmissionStore } from './admission-store.ts';
import { watchAdmission } from './watch-admission.ts';

const rules = { outstandingMax: 10, outstandingPerAccountMax: 4, accountCountMs: 1_000 };

const requestOf = (accountId: RefreshRequest['accountId']) =>
  ({ refreshId: newRefreshId(), accountId, scope: newScope() }) as RefreshRequest;

const nothingCounted = {
  outstanding: 0,
  /** How often it was counted. */
  countsMade: 0,
  admission: { operatorClosed: false, countClosed: false, outstanding: 0, counts: 0 },
  plan: noPlan,
  whileSaving: async (): Promise<void> => {},
};

/** A watch over a store in which nothing is outstanding until a test sets it. */
function openWatch(stored = { ...nothingCounted }) {
  const clock = createTestClock();
  const read = async () => stored.admission;
  const store: AdmissionStore = {
    readAdmission: read,
    async saveCount(state, counts) {
      await stored.whileSaving();
      if (stored.admission.counts !== counts) return false;
      stored.admission = { ...state, counts: counts + 1 };
      return true;
    },
    setOperatorClosed: read,
    async countOutstanding() {
      stored.countsMade += 1;
      return stored.outstanding;
    },
    countOutstandingOfAccount: async () => 0,
  };
  const watch = watchAdmission(
    store,
    () => false,
    () => stored.plan,
    rules,
    createRecentUse({ leaseMs: 15_000 }),
    clock,
  );
  const admit = (accountId = newAccountId()) => watch.admit(requestOf(accountId), null);
  return { stored, clock, watch, admit };
}

test('a burst between two counts is closed at the limit (Refresh: Admission) [admission-latch]', async () => {
  const { admit } = openWatch();

  for (let count = 0; count < 10; count += 1) expect(await admit()).toBeNull();

  expect(await admit()).toMatchObject({
    code: 'product_unavailable',
    detail: { reason: 'global_outstanding_closed' },
  });
});

test('an admitted refresh is after the outstanding ones of its account, no other', async () => {
  const { watch } = openWatch();
  const own = requestOf(newAccountId());

  const ahead: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    await watch.admit(own, null);
    await watch.admit(requestOf(newAccountId()), null);
    ahead.push(watch.countAhead(own));
  }

  expect(ahead).toEqual([0, 1, 2]);
});

test('an attempt whose count is reverted leaves its slot to another', async () => {
  const { admit, watch } = openWatch();
  for (let count = 0; count < 10; count += 1) await admit();

  watch.decrement(requestOf(newAccountId()));

  expect([await admit(), (await admit())?.code]).toEqual([null, 'product_unavailable']);
});

test('a count replaces what was added since the last one', async () => {
  const { admit, stored, watch } = openWatch();
  for (let count = 0; count < 10; count += 1) await admit();
  stored.outstanding = 8;

  await watch.update();

  const codes = [await admit(), await admit(), await admit()].map((refusal) => refusal?.code);
  expect(codes).toEqual([undefined, undefined, 'product_unavailable']);
});

test('what was counted is not added again while the count is written [admission-latch]', async () => {
  const { admit, stored, watch } = openWatch();
  for (let count = 0; count < 9; count += 1) await admit();
  stored.outstanding = 9;
  const results: unknown[] = [];
  stored.whileSaving = async () => void results.push(await admit(), (await admit())?.code);

  await watch.update();

  expect(results).toEqual([null, 'product_unavailable']);
});

test('a burst of one account is closed at its limit, and no other one by it (Errors: outstanding_limit_exceeded) [outstanding-limit-of-an-account]', async () => {
  const { admit, clock } = openWatch();
  const account = newAccountId();

  for (let count = 0; count < 4; count += 1) expect(await admit(account)).toBeNull();

  expect(await admit(account)).toEqual({
    code: 'outstanding_limit_exceeded',
    detail: { limit: 'account_count', outstanding_max: 4 },
    retry_after_seconds: 5,
  });
  expect(await admit()).toBeNull();
  clock.advance(1_000);
  expect(await admit(account)).toBeNull();
});

test('what is missing has a reason of its own, with the configured bound (Errors: product_unavailable, outstanding_limit_exceeded) [product-unavailable, outstanding-limit-of-an-account]', async () => {
  const { stored, watch, clock } = openWatch();
  const [own, other] = [requestOf(newAccountId()), requestOf(newAccountId())];
  const busiest = [{ accountId: own.accountId, pages: 30, refreshes: 1 }];
  const plan = { ...noPlan, atMs: clock.now(), pagesPerMinuteHoped: 10, accounts: 2, busiest };
  stored.plan = { ...plan, pagesFree: 5, pagesWaiting: 35, scanPagesMax: 90 };

  const refusals = [
    await watch.refusalOf(own.accountId, own.scope, 5),
    await watch.refusalOf(other.accountId, other.scope, 6),
    await watch.refusalOf(other.accountId, other.scope, 91),
  ];

  const closed = { admission_state: 'closed' };
  expect(refusals.map((refusal) => refusal && 'detail' in refusal && refusal.detail)).toEqual([
    { limit: 'account_share', outstanding_max: 4 },
    { ...closed, reason: 'capacity' },
    { ...closed, reason: 'inventory_too_large', pages_max: 90 },
  ]);
});

describe('the watches of many replicas', () => {
  const openWatches = (count: number) => {
    const stored = { ...nothingCounted };
    return { stored, watches: Array.from({ length: count }, () => openWatch(stored)) };
  };
  async function updateAll(watches: readonly { watch: { update(): Promise<void> } }[]) {
    for (const { watch } of watches) await watch.update();
  }

  it('count once per round, however many there are', async () => {
    const { stored, watches } = openWatches(50);

    for (let round = 0; round < 10; round += 1) await updateAll(watches);

    expect(stored.countsMade).toBe(10);
  });

  it('count on when the one that counted stops', async () => {
    const { stored, watches } = openWatches(3);
    await updateAll(watches);

    stored.outstanding = 7;
    for (let round = 0; round < 2; round += 1) await updateAll(watches.slice(1));

    expect(watches.map(({ watch }) => watch.state.outstanding)).toEqual([0, 7, 7]);
  });

  it('count once more at most when two of them counted at the same time', async () => {
    const { stored, watches } = openWatches(2);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(watches.map(({ watch }) => watch.update()));
    }

    expect(stored.countsMade).toBeLessThanOrEqual(5 + 2);
  });

  it('close at the limit for each, with what each admitted since the count of another', async () => {
    const { stored, watches } = openWatches(2);
    const [counting, following] = watches;
    await updateAll(watches);
    await updateAll(watches);

    for (let count = 0; count < 9; count += 1) await following?.admit();
    stored.outstanding = 0;
    await counting?.watch.update();
    await following?.watch.update();

    const codes = [await following?.admit(), await following?.admit()].map(
      (refusal) => refusal?.code,
    );
    expect(codes).toEqual([undefined, 'product_unavailable']);
  });
});
