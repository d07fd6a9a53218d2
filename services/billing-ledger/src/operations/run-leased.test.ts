import { createLogger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { LeaseStore } from '../storage/lease-store.ts';
import { createRunLeased } from './run-leased.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

function fakeLeases(): LeaseStore {
  const held = new Map<string, { holder: string; untilMs: number }>();
  return {
    async acquireLease({ name, holder, nowMs, untilMs }) {
      const lease = held.get(name);
      if (lease && lease.holder !== holder && lease.untilMs > nowMs) return false;
      held.set(name, { holder, untilMs });
      return true;
    },
    async releaseLease(name, holder) {
      if (held.get(name)?.holder === holder) held.delete(name);
    },
  };
}

const passOf = (holder: string, nowMs: number) => ({
  name: 'pass',
  holder,
  nowMs,
  untilMs: nowMs + 30_000,
});

function replicasOf(leases: LeaseStore) {
  const clock = createTestClock();
  const stopping = new AbortController().signal;
  const replicaOf = (holder: string) =>
    createRunLeased({ leases, holder, clock, stopping, logger });
  return { clock, first: replicaOf('first'), second: replicaOf('second') };
}

describe('Leased work', () => {
  test('is done by one replica at a time, and by any of them after that', async () => {
    const { first, second } = replicasOf(fakeLeases());
    const running = Promise.withResolvers<void>();

    const done = first('pass', async () => {
      await running.promise;
      return 'first';
    });
    await pause(0);
    const refused = await second('pass', async () => 'second');
    running.resolve();

    expect([refused, await done]).toEqual([null, 'first']);
    expect(await second('pass', async () => 'second')).toBe('second');
  });

  test('that failed is released', async () => {
    const { first, second } = replicasOf(fakeLeases());

    await expect(first('pass', () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );

    expect(await second('pass', async () => 'second')).toBe('second');
  });

  test('of a process that died is done by another one once its lease has expired', async () => {
    const leases = fakeLeases();
    const { clock, second } = replicasOf(leases);
    await leases.acquireLease(passOf('dead', clock.now()));

    expect(await second('pass', async () => 'second')).toBeNull();
    clock.advance(60_000);

    expect(await second('pass', async () => 'second')).toBe('second');
  });
});
