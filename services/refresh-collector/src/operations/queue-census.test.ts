import type { AccountId } from '@inventory/contracts/ids';
import { newAccountId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { acceptedRefresh, requestedAtMs } from '../../test/refresh-builder.ts';
import type { StoredRefresh } from '../storage/stored-refresh.ts';
import { createQueueCensus } from './queue-census.ts';

/** The queue of a store, with what it is asked; some of it cannot be claimed now. */
function queueOf(accountId: AccountId, length: number) {
  const asked = { counts: 0, searches: 0 };
  const queue: StoredRefresh[] = Array.from({ length }, (_item, index) => ({
    refresh: acceptedRefresh({
      accountId,
      phase: 'queued',
      queueDeadlineMs: requestedAtMs + index,
    }),
    trace: {},
  }));
  const blocked = new Set<StoredRefresh>();
  return {
    asked,
    queue,
    blocked,
    queuedAccounts: async () => {
      asked.counts += 1;
      const [oldest] = queue;
      if (!oldest) return [];
      const { queueDeadlineMs } = oldest.refresh;
      return [{ accountId, oldestQueueDeadlineMs: queueDeadlineMs, queued: queue.length }];
    },
    oldestQueued: async () => {
      asked.searches += 1;
      return queue.slice(0, 20);
    },
    claim: async (queued: StoredRefresh) => {
      if (blocked.has(queued) || !queue.includes(queued)) return null;
      queue.splice(queue.indexOf(queued), 1);
      return { ...queued, epoch: 1, pages: [] };
    },
  };
}

const account = newAccountId();

it('a backlog is counted once a second, and its oldest are looked for once in twenty scans', async () => {
  const clock = createTestClock();
  const store = queueOf(account, 100);
  const expected = store.queue.slice(0, 40).map(({ refresh }) => refresh.id);
  const census = createQueueCensus(store, clock, 1_000);
  const claimed: (string | undefined)[] = [];

  for (let scan = 0; scan < 40; scan += 1) {
    const [first] = await census.accounts();
    expect(first?.queued).toBe(100 - scan);
    claimed.push((await census.claimNext(account))?.refresh.id);
  }

  expect(claimed).toEqual(expected);
  expect(store.asked).toEqual({ counts: 1, searches: 2 });
  clock.advance(1_000);
  await census.accounts();
  expect(store.asked.counts).toBe(2);
});

it('what another replica took or cancelled is passed over, and the next one starts', async () => {
  const store = queueOf(account, 30);
  const census = createQueueCensus(store, createTestClock(), 1_000);
  await census.accounts();
  await census.claimNext(account);
  const taken = store.queue.splice(0, 19);

  const claimed = await census.claimNext(account);

  expect(taken).not.toContainEqual(expect.objectContaining({ refresh: claimed?.refresh }));
  expect(claimed).not.toBeNull();
});

it('an arrival behind a backlog is known without counting, and an account that came first too', async () => {
  const store = queueOf(account, 1);
  const census = createQueueCensus(store, createTestClock(), 1_000);
  await census.accounts();
  const other = newAccountId();

  census.arrived({ refresh: acceptedRefresh({ accountId: other }), trace: {} });
  census.arrived({ refresh: acceptedRefresh({ accountId: account }), trace: {} });

  const known = await census.accounts();
  expect(known).toMatchObject([
    { accountId: account, queued: 2 },
    { accountId: other, queued: 1 },
  ]);
  expect(store.asked.counts).toBe(1);
});

it('those whose inventory is being scanned give way, and are tried again after the next count', async () => {
  const store = queueOf(account, 2);
  const census = createQueueCensus(store, createTestClock(), 1_000);
  for (const queued of store.queue) store.blocked.add(queued);
  await census.accounts();

  expect(await census.claimNext(account)).toBeNull();
  expect(census.waiting).toBe(0);

  store.blocked.clear();
  await census.accounts();
  expect(await census.claimNext(account)).not.toBeNull();
});
