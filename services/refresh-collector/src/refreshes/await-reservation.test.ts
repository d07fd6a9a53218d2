import { acceptedRefresh } from '../../test/refresh-builder.ts';
import { awaitReservation } from './await-reservation.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A store in which the reservation is written down after so many looks; each takes 100 ms. */
function storeThatKnowsAfter(looks: number) {
  const refresh = acceptedRefresh();
  let seen = 0;
  return {
    get seen() {
      return seen;
    },
    async find() {
      seen += 1;
      jest.advanceTimersByTime(100);
      const phase = seen > looks ? 'queued' : 'accepted';
      return { refresh: { ...refresh, phase }, trace: {} } as const;
    },
  };
}

test('a refresh is shown with its reservation, where the read overtook it (states: accepted is seen in races only)', async () => {
  const store = storeThatKnowsAfter(3);

  expect((await awaitReservation(store, 'id'))?.refresh.phase).toBe('queued');
  expect(store.seen).toBe(4);
});

test('one whose reservation is known is read once', async () => {
  const store = storeThatKnowsAfter(0);

  await awaitReservation(store, 'id');

  expect(store.seen).toBe(1);
});

test('one whose reservation stays away is shown as accepted after half a second', async () => {
  const store = storeThatKnowsAfter(Number.POSITIVE_INFINITY);

  expect((await awaitReservation(store, 'id'))?.refresh.phase).toBe('accepted');
  expect(store.seen).toBe(6);
});

test('an unknown one is not waited for', async () => {
  expect(await awaitReservation({ find: async () => null }, 'id')).toBeNull();
});
