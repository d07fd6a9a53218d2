import { createLogger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { createMemoryLeases } from '@inventory/testkit/memory-leases';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createRunLeased, type RunLeased } from './run-leased.ts';
import { leaseMs } from './work.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

/** Two replicas, and the clock of their store. */
function openReplicas() {
  const clock = createTestClock();
  const leases = createMemoryLeases(clock, leaseMs);
  const process = { clock, stopping: new AbortController().signal, logger };
  const [first, second] = (['first', 'second'] as const).map((holder) =>
    createRunLeased(leases, holder, process),
  ) as [RunLeased, RunLeased];
  return { clock, leases, first, second };
}

describe('Leased work', () => {
  test('is done by one replica at a time, and by any of them after that', async () => {
    const { first, second } = openReplicas();
    const running = Promise.withResolvers<void>();

    const done = first('snapshot pass', async () => {
      await running.promise;
      return 'first';
    });
    await pause(0);
    const refused = await second('snapshot pass', async () => 'second');
    running.resolve();

    expect([refused, await done]).toEqual([null, 'first']);
    expect(await second('snapshot pass', async () => 'second')).toBe('second');
  });

  test('that failed is released', async () => {
    const { first, second } = openReplicas();

    await expect(first('snapshot pass', () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );

    expect(await second('snapshot pass', async () => 'second')).toBe('second');
  });

  test('of a process that died is done by another one once its lease has expired', async () => {
    const { clock, leases, second } = openReplicas();
    await leases.acquire({ id: 'snapshot pass', owner: 'dead' });

    expect(await second('snapshot pass', async () => 'second')).toBeNull();
    clock.advance(60_000);

    expect(await second('snapshot pass', async () => 'second')).toBe('second');
  });
});
