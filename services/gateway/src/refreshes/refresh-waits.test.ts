import { newAccountId, newRefreshId } from '@inventory/testkit/builders';
import { createRefreshWaits } from './refresh-waits.ts';

const limits = { totalMax: 3, perKeyMax: 2 };
const never = new AbortController().signal;
const longMs = 20_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function enter(waits: ReturnType<typeof createRefreshWaits>, refreshId = newRefreshId()) {
  const place = waits.startWaiting(newAccountId(), refreshId);
  if (place === null) throw new Error('there is no place');
  return place;
}

test('a notification reaches every wait for that refresh, and no other [status-wait]', async () => {
  const waits = createRefreshWaits(limits);
  const refreshId = newRefreshId();
  const [first, second, other] = [enter(waits, refreshId), enter(waits, refreshId), enter(waits)];
  const woken: string[] = [];
  const left = new AbortController();
  const both = [first, second].map((place) => place.waitForNotification(longMs, never));
  const others = other.waitForNotification(longMs, left.signal).then(() => woken.push('other'));

  waits.notify(refreshId);
  await Promise.all(both);

  expect(woken).toEqual([]);
  left.abort();
  await others;
});

test('a notify between entering and waiting is not lost, and counts once [status-wait]', async () => {
  const waits = createRefreshWaits(limits);
  const refreshId = newRefreshId();
  const place = enter(waits, refreshId);

  waits.notify(refreshId);
  await place.waitForNotification(longMs, never);
  let isOver = false;
  const second = place.waitForNotification(50, never).then(() => {
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
  const place = enter(waits);
  const waiting = place.waitForNotification(longMs, gone.signal);

  gone.abort();

  await waiting;
  await place.waitForNotification(longMs, gone.signal);
});

test('places are bounded per account and in total, and are released', () => {
  const waits = createRefreshWaits(limits);
  const accountId = newAccountId();
  const own = [1, 2].map(() => waits.startWaiting(accountId, newRefreshId()));

  expect(waits.startWaiting(accountId, newRefreshId())).toBeNull();
  const other = enter(waits);
  expect(waits.startWaiting(newAccountId(), newRefreshId())).toBeNull();
  expect(waits.waiting).toBe(3);

  for (const place of [...own, other]) place?.stopWaiting();
  expect(waits.waiting).toBe(0);
  expect(waits.startWaiting(accountId, newRefreshId())).not.toBeNull();
});
