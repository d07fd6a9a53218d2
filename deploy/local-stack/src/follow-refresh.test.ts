import type { RefreshAnswer, RefreshRecord } from '@inventory/client/records';
import { followRefresh, type StateChange } from './follow-refresh.ts';

/** Only what following looks at. */
function seen(state: RefreshRecord['state'], retryAfterSeconds: number | null): RefreshAnswer {
  return {
    record: { refresh_id: 'refresh', state } as RefreshRecord,
    meta: { request_id: 'req' },
    retryAfterSeconds,
    replayed: false,
  };
}

function follow(reads: readonly (RefreshAnswer | Error)[], patienceMs = 60_000) {
  const changes: StateChange[] = [];
  const left = [...reads];
  const followed = followRefresh({
    accepted: seen('queued', 1),
    read: async () => {
      const next = left.length > 1 ? left.shift() : left[0];
      if (next instanceof Error || next === undefined) throw next;
      return next;
    },
    onChange: (change) => changes.push(change),
    patienceMs,
    signal: new AbortController().signal,
  });
  return { followed, changes };
}

test('each state is shown once, in the order in which Status showed them', async () => {
  const { followed, changes } = follow([
    seen('queued', 1),
    seen('collecting', 2),
    seen('collecting', 2),
    seen('settling', 1),
    seen('completed', null),
  ]);

  expect((await followed)?.record.state).toBe('completed');
  expect(changes.map(({ record }) => record.state)).toEqual([
    'queued',
    'collecting',
    'settling',
    'completed',
  ]);
});

test('a client that reads only when told to learns of a quick completion at its first read', async () => {
  const { followed } = follow([seen('completed', null)]);

  expect((await followed)?.patientClient).toEqual({ reads: 1, knowsAfterMs: 1_000 });
});

test('a failure is told', async () => {
  const failure = new Error('answered 500');

  await expect(follow([failure]).followed).rejects.toThrow('answered 500');
});

test('patience ends, and the refresh is left to itself', async () => {
  expect(await follow([seen('collecting', 1)], 0).followed).toBeNull();
});
