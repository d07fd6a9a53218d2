import { systemClock } from './clock.ts';
import { holdLease, LeaseLost } from './hold-lease.ts';
import { createLogger } from './logger.ts';

const leaseMs = 30_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A lease over a store whose next responses a test sets. */
function hold(renew: () => Promise<boolean>, lateMs = 0) {
  const stopping = new AbortController();
  let renewals = 0;
  const held = holdLease({
    name: 'test lease',
    leaseMs,
    sentMs: systemClock.now() - lateMs,
    renew() {
      renewals += 1;
      return renew();
    },
    stopping: stopping.signal,
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
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
    expect([held.isHeld(), held.signal.reason]).toEqual([false, expect.any(LeaseLost)]);
  });

  it('survives a failed renewal, which is retried before the next one is due', async () => {
    let failures = 1;
    const { held, renewals } = hold(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('unavailable');
      return true;
    });

    await jest.advanceTimersByTimeAsync(leaseMs / 2);
    expect(renewals()).toBe(2);
    await jest.advanceTimersByTimeAsync(2 * leaseMs);

    expect([held.isHeld(), held.signal.aborted]).toEqual([true, false]);
    held.end();
  });

  it('is not held from its expiry on, and then aborts, while the store is unavailable', async () => {
    const { held } = hold(() => Promise.reject(new Error('unavailable')));

    await jest.advanceTimersByTimeAsync(leaseMs - 1);
    expect([held.isHeld(), held.signal.aborted]).toEqual([true, false]);
    await jest.advanceTimersByTimeAsync(1);

    expect([held.isHeld(), held.signal.aborted]).toEqual([false, true]);
  });

  it('expires while a renewal hangs', async () => {
    const { held } = hold(() => new Promise(() => {}));

    await jest.advanceTimersByTimeAsync(leaseMs);

    expect([held.isHeld(), held.signal.aborted]).toEqual([false, true]);
  });

  it('expires by the time its acquisition was sent: a late response is that of a shorter lease', async () => {
    const { held } = hold(() => new Promise(() => {}), leaseMs / 2);

    await jest.advanceTimersByTimeAsync(leaseMs / 2 - 1);
    expect([held.isHeld(), held.signal.aborted]).toEqual([true, false]);
    await jest.advanceTimersByTimeAsync(1);

    expect([held.isHeld(), held.signal.aborted]).toEqual([false, true]);
    expect(hold(async () => true, leaseMs).held.isHeld()).toBe(false);
  });

  it('expires by the time a renewal was sent, not by that of its response', async () => {
    const { held } = hold(
      () => new Promise((resolve) => setTimeout(() => resolve(true), leaseMs / 2)),
    );

    await jest.advanceTimersByTimeAsync((leaseMs / 3) * 4 - 1);
    expect(held.isHeld()).toBe(true);
    held.end();
    await jest.advanceTimersByTimeAsync(leaseMs);

    expect(held.isHeld()).toBe(false);
  });

  it('aborts when the process stops, and is renewed until its work ends', async () => {
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
