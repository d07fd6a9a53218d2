import type { AccountId } from '@inventory/contracts/ids';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { createRefreshWaits } from './refresh-waits.ts';

const limits = { totalMax: 3, perKeyMax: 2 };
const projectId = newProjectId();
const never = new AbortController().signal;
const longMs = 20_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function enter(waits: ReturnType<typeof createRefreshWaits>, refreshId = newRefreshId()) {
  const slot = waits.startWaiting({ accountId: newAccountId(), projectId, refreshId });
  if (slot === null) throw new Error('there is no slot');
  return slot;
}

test('a notification reaches every wait for that refresh, and no other [status-wait]', async () => {
  const waits = createRefreshWaits(limits);
  const refreshId = newRefreshId();
  const [first, second, other] = [enter(waits, refreshId), enter(waits, refreshId), enter(waits)];
  const woken: string[] = [];
  const left = new AbortController();
  const both = [first, second].map((slot) => slot.waitForNotification(longMs, never));
  const others = other.waitForNotification(longMs, left.signal).then(() => woken.push('other'));

  waits.notify(projectId, refreshId);
  await Promise.all(both);

  expect(woken).toEqual([]);
  left.abort();
  await others;
});

test('a notify between entering and waiting is not lost, and counts once [status-wait]', async () => {
  const waits = createRefreshWaits(limits);
  const refreshId = newRefreshId();
  const slot = enter(waits, refreshId);

  waits.notify(projectId, refreshId);
  await slot.waitForNotification(longMs, never);
  let isOver = false;
  const second = slot.waitForNotification(50, never).then(() => {
    isOver = true;
  });

  await jest.advanceTimersByTimeAsync(49);
  expect(isOver).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  await second;
});

test('a client that is gone, before or while it waits, is not waited for', async () => {
  const waits = createRefreshWaits(limits);
  const gone = new AbortController();
  const slot = enter(waits);
  const waiting = slot.waitForNotification(longMs, gone.signal);

  gone.abort();

  await waiting;
  await slot.waitForNotification(longMs, gone.signal);
});

test('slots are bounded per account and in total, and are released', () => {
  const waits = createRefreshWaits(limits);
  const accountId = newAccountId();
  const start = (of: AccountId) =>
    waits.startWaiting({ accountId: of, projectId, refreshId: newRefreshId() });
  const own = [1, 2].map(() => start(accountId));

  expect(start(accountId)).toBeNull();
  const other = enter(waits);
  expect(start(newAccountId())).toBeNull();
  expect(waits.waiting).toBe(3);

  for (const slot of [...own, other]) slot?.stopWaiting();
  expect(waits.waiting).toBe(0);
  expect(start(accountId)).not.toBeNull();
});

test('only Projects with a waiting request are of interest to this replica', () => {
  const waits = createRefreshWaits(limits);
  const slots = [enter(waits), enter(waits)];
  const seen = [waits.hasProject(projectId), waits.hasProject(newProjectId())];
  for (const slot of slots) slot.stopWaiting();

  expect([...seen, waits.hasProject(projectId)]).toEqual([true, false, false]);
});
