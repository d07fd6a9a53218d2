import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  createQueuedRefreshes,
  type QueuedAccount,
  type QueuedRefresh,
} from './queued-refreshes.domain.ts';

const typicalPages = 7;
const nowMs = 3;
const apps = [1, 2, 3];

const refresh: fc.Arbitrary<QueuedRefresh> = fc.record({
  id: fc.nat(12).map((id) => `refresh-${id}`),
  accountId: fc.constantFrom('a', 'b', 'c'),
  inventory: fc.nat(4).map((number) => `inventory-${number}`),
  appId: fc.constantFrom(...apps),
  queueDeadlineMs: fc.nat(6),
  expectedPages: fc.option(fc.nat(125)),
});

const step = fc.oneof(
  refresh.map((put) => ({ put, remove: null })),
  refresh.map(({ id }) => ({ put: null, remove: id })),
);

const byDeadline = (left: QueuedRefresh, right: QueuedRefresh) =>
  left.queueDeadlineMs - right.queueDeadlineMs || (left.id < right.id ? -1 : 1);

const sumOf = (refreshes: readonly QueuedRefresh[]) => ({
  refreshes: refreshes.length,
  pages: refreshes.reduce((sum, { expectedPages }) => sum + (expectedPages ?? typicalPages), 0),
});

/** All that an account shows one after the other. */
function walk(account: QueuedAccount, ofApps: readonly number[], busy: ReadonlySet<string>) {
  const shown: string[] = [];
  let position = { queueDeadlineMs: nowMs, id: '~' };
  for (;;) {
    const next = account.firstAfter(
      position,
      (appId) => ofApps.includes(appId),
      ({ inventory }) => busy.has(inventory),
    );
    if (!next) return shown;
    shown.push(next.id);
    position = next;
  }
}

/** The first of each inventory and application, by deadline, of the plain list. */
function expectedOf(
  refreshes: readonly QueuedRefresh[],
  ofApps: readonly number[],
  busy: ReadonlySet<string>,
): string[] {
  const seen = new Set<string>();
  return refreshes
    .toSorted(byDeadline)
    .filter(({ inventory, appId }) => {
      const key = `${inventory} ${appId}`;
      return !seen.has(key) && seen.add(key);
    })
    .filter(({ queueDeadlineMs }) => queueDeadlineMs > nowMs)
    .filter(({ appId, inventory }) => ofApps.includes(appId) && !busy.has(inventory))
    .map(({ id }) => id);
}

describe('queued refreshes', () => {
  it('show, sum and end what a plain list of them does, whatever was put and removed', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.subarray(apps),
        fc.subarray(['inventory-0', 'inventory-1']),
        (steps, ofApps, busyList) => {
          const queued = createQueuedRefreshes();
          const list = new Map<string, QueuedRefresh>();
          for (const { put, remove } of steps) {
            if (put) {
              queued.put(put);
              list.set(put.id, put);
            } else if (remove) {
              queued.remove(remove);
              list.delete(remove);
            }
          }
          const all = [...list.values()];
          const busy = new Set(busyList);
          const ofAccounts = Map.groupBy(all, ({ accountId }) => accountId);
          const accounts = [...queued.accounts()];
          expect(accounts.map(({ accountId }) => accountId).toSorted()).toEqual(
            [...ofAccounts.keys()].toSorted(),
          );
          for (const account of accounts) {
            const own = ofAccounts.get(account.accountId) ?? [];
            expect(walk(account, ofApps, busy)).toEqual(expectedOf(own, ofApps, busy));
            expect(account.sum(typicalPages)).toEqual(sumOf(own));
          }
          const counted = all.filter(({ appId }) => ofApps.includes(appId));
          expect(queued.sum(typicalPages)).toEqual(sumOf(all));
          expect(queued.sum(typicalPages, (appId) => ofApps.includes(appId))).toEqual(
            sumOf(counted),
          );
          const overdue = queued.overdue(nowMs, 100);
          const late = all.filter(({ queueDeadlineMs }) => queueDeadlineMs <= nowMs);
          expect(late.map(({ id }) => id)).toEqual(expect.arrayContaining(overdue));
          expect(overdue.length > 0).toBe(late.length > 0);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });

  it('end no more overdue ones at a time than are requested', () => {
    const late = Array.from({ length: 5 }, (_, index) => ({
      id: `${index}`,
      accountId: `${index}`,
      inventory: `${index}`,
      appId: 1,
      queueDeadlineMs: 0,
      expectedPages: 1,
    }));

    expect(createQueuedRefreshes(late).overdue(nowMs, 3)).toHaveLength(3);
  });
});
