import { newAccountId, newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { noPlan } from '../scans/published-plan.domain.ts';
import type { AdmissionLatch } from './admission.domain.ts';
import type { RefreshRequest } from './admit-refresh.ts';
import { watchAdmission } from './watch-admission.ts';

const rules = { outstandingMax: 10, outstandingPerAccountMax: 4, accountCountMs: 1_000 };

/** A watch over books in which nothing is outstanding until a test says so. */
function openWatch() {
  const books = {
    outstanding: 0,
    latch: { operatorClosed: false, countClosed: false },
    plan: noPlan,
  };
  const clock = createTestClock();
  const read = async (): Promise<AdmissionLatch> => ({ ...books.latch, outstanding: 0 });
  const store = {
    read,
    saveCount: async () => undefined,
    setOperatorClosed: read,
    countOutstanding: async () => books.outstanding,
    countOutstandingOf: async () => 0,
  };
  const watch = watchAdmission(
    store,
    () => false,
    () => books.plan,
    rules,
    clock,
  );
  const ask = (accountId = newAccountId()) =>
    watch.refusalFor({ accountId, scope: newScope() } as RefreshRequest);
  return { books, clock, watch, ask };
}

test('a burst between two counts is closed at the limit (Refresh: Admission)', async () => {
  const { ask } = openWatch();

  for (let count = 0; count < 10; count += 1) expect(await ask()).toBeNull();

  expect(await ask()).toMatchObject({
    code: 'product_unavailable',
    detail: { reason: 'global_outstanding_closed' },
  });
});

test('what is counted by mistake leaves its place to another', async () => {
  const { ask, watch } = openWatch();
  for (let count = 0; count < 10; count += 1) await ask();

  watch.uncount({ accountId: newAccountId() } as RefreshRequest);

  expect([await ask(), (await ask())?.code]).toEqual([null, 'product_unavailable']);
});

test('a count replaces what was added since the last one', async () => {
  const { ask, books, watch } = openWatch();
  for (let count = 0; count < 10; count += 1) await ask();
  books.outstanding = 8;

  await watch.round();

  const codes = [await ask(), await ask(), await ask()].map((refusal) => refusal?.code);
  expect(codes).toEqual([undefined, undefined, 'product_unavailable']);
});

test('a burst of one account is closed at its limit, and no other one by it (Errors: outstanding_limit_exceeded)', async () => {
  const { ask, clock } = openWatch();
  const account = newAccountId();

  for (let count = 0; count < 4; count += 1) expect(await ask(account)).toBeNull();

  expect(await ask(account)).toEqual({
    code: 'outstanding_limit_exceeded',
    detail: { limit: 4 },
    retry_after_seconds: 5,
  });
  expect(await ask()).toBeNull();
  clock.advance(1_000);
  expect(await ask(account)).toBeNull();
});
