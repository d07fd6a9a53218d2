import { newAccountId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { AdmissionState } from './admission.domain.ts';
import type { RefreshRequest } from './admit-refresh.ts';
import { noPlan } from './published-plan.domain.ts';
import { watchAdmission } from './watch-admission.ts';

const rules = { outstandingMax: 10, outstandingPerAccountMax: 4, accountCountMs: 1_000 };

const requestOf = (accountId: RefreshRequest['accountId']) =>
  ({ id: newRefreshId(), accountId, scope: newScope() }) as RefreshRequest;

/** A watch over a store in which nothing is outstanding until a test sets it. */
function openWatch() {
  const stored = {
    outstanding: 0,
    admission: { operatorClosed: false, countClosed: false },
    plan: noPlan,
  };
  const clock = createTestClock();
  const read = async (): Promise<AdmissionState> => ({ ...stored.admission, outstanding: 0 });
  const store = {
    readAdmission: read,
    saveOutstanding: async () => undefined,
    setOperatorClosed: read,
    countOutstanding: async () => stored.outstanding,
    countOutstandingOfAccount: async () => 0,
  };
  const watch = watchAdmission(
    store,
    () => false,
    () => stored.plan,
    rules,
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

test('an attempt whose count is reverted leaves its place to another', async () => {
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

test('a burst of one account is closed at its limit, and no other one by it (Errors: outstanding_limit_exceeded) [outstanding-limit-of-an-account]', async () => {
  const { admit, clock } = openWatch();
  const account = newAccountId();

  for (let count = 0; count < 4; count += 1) expect(await admit(account)).toBeNull();

  expect(await admit(account)).toEqual({
    code: 'outstanding_limit_exceeded',
    detail: { limit: 4 },
    retry_after_seconds: 5,
  });
  expect(await admit()).toBeNull();
  clock.advance(1_000);
  expect(await admit(account)).toBeNull();
});
