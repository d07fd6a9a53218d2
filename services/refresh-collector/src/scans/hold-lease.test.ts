import { systemClock } from '@inventory/runtime/clock';
import { createLogger } from '@inventory/runtime/logger';
import { holdLease } from './hold-lease.ts';

const leaseMs = 30_000;
const lease = { inventory: 'i', refreshId: 'r', token: 't' };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A lease over a store whose next answers a test sets. */
function hold(renew: () => Promise<boolean>) {
  const stopping = new AbortController();
  let renewals = 0;
  const store = {
    renew() {
      renewals += 1;
      return renew();
    },
  };
  const held = holdLease(store, lease, {
    leaseMs,
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    stopping: stopping.signal,
  });
  return { held, stopping, renewals: () => renewals };
}

describe('a held lease', () => {
  it('is renewed three times as often as it expires (Refresh: One scan at a time per inventory)', async () => {
    const { held, renewals } = hold(async () => true);

    await jest.advanceTimersByTimeAsync(10 * leaseMs);

    expect([held.isHeld(), held.signal.aborted, renewals()]).toEqual([true, false, 30]);
    held.end();
  });

  it('is lost as soon as the store refuses a renewal', async () => {
    const { held } = hold(async () => false);

    await jest.advanceTimersByTimeAsync(leaseMs / 3);

    expect(held.signal.aborted).toBe(true);
  });

  it('survives a failed renewal that the next one repeats', async () => {
    let failures = 1;
    const { held } = hold(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('unavailable');
      return true;
    });

    await jest.advanceTimersByTimeAsync(2 * leaseMs);

    expect([held.isHeld(), held.signal.aborted]).toEqual([true, false]);
    held.end();
  });

  it('is not held from its expiry on, and then aborts, while the store is unavailable', async () => {
    const { held, renewals } = hold(() => Promise.reject(new Error('unavailable')));

    await jest.advanceTimersByTimeAsync(leaseMs - 1);
    expect([held.isHeld(), held.signal.aborted]).toEqual([true, false]);
    await jest.advanceTimersByTimeAsync(1);

    expect([held.isHeld(), held.signal.aborted, renewals()]).toEqual([false, true, 2]);
  });

  it('expires by the time a renewal was sent, not by that of its answer', async () => {
    const { held } = hold(
      () => new Promise((resolve) => setTimeout(() => resolve(true), leaseMs / 2)),
    );

    await jest.advanceTimersByTimeAsync((leaseMs / 3) * 4 - 1);
    expect(held.isHeld()).toBe(true);
    held.end();
    await jest.advanceTimersByTimeAsync(leaseMs);

    expect(held.isHeld()).toBe(false);
  });

  it('aborts when the process stops, and is renewed until its scan ends', async () => {
    const { held, stopping, renewals } = hold(async () => true);

    stopping.abort();

    expect(held.signal.aborted).toBe(true);
    await jest.advanceTimersByTimeAsync(leaseMs);
    expect(renewals()).toBe(3);
    held.end();
    await jest.advanceTimersByTimeAsync(leaseMs);
    expect(renewals()).toBe(3);
  });
});
