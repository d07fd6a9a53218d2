import { readStoreTime } from '@inventory/mongo/connect';
import { type Clock, monotonicNow } from '@inventory/runtime/clock';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from './config.ts';

/**
 * A clock that all replicas agree on: this machine's while it differs from the store's by at most
 * `offsetMaxMs`, else the store's, which is derived monotonically between two measurements. So a machine
 * whose clock is wrong, or is set, prunes nothing early, and writes no time that others wait for.
 */
export function createStoreClock(deps: {
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number;
  readonly readStoreTime: () => Promise<number>;
  readonly offsetMaxMs: number;
}) {
  const { clock, offsetMaxMs } = deps;
  let measured = { aheadMs: 0, errorMs: Number.POSITIVE_INFINITY };

  return {
    now(): number {
      const nowMs = clock.now();
      const storeMs = deps.monotonicNow() + measured.aheadMs;
      const isClose = Math.abs(nowMs - storeMs) <= offsetMaxMs + measured.errorMs;
      return isClose ? nowMs : Math.round(storeMs);
    },
    /** Reads the store's clock; half the round trip is the error. Rejects as the read does. */
    async measure(): Promise<void> {
      const startMs = deps.monotonicNow();
      const storeMs = await deps.readStoreTime();
      const endMs = deps.monotonicNow();
      measured = { aheadMs: storeMs - (startMs + endMs) / 2, errorMs: (endMs - startMs) / 2 };
    },
  };
}

const measureEveryMs = 30_000;

/** The clock of everything that the service stores and waits for. */
export async function openStoreClock(
  { clock, config, lifetime, logger }: ServiceContext<EventStreamConfig>,
  db: Db,
): Promise<Clock> {
  const storeClock = createStoreClock({
    clock,
    monotonicNow,
    readStoreTime: () => readStoreTime(db),
    offsetMaxMs: config.clockOffsetMaxMs,
  });
  async function measure(): Promise<void> {
    await storeClock.measure();
    const offsetMs = clock.now() - storeClock.now();
    if (offsetMs !== 0) logger.warn({ offsetMs }, "the clock is not MongoDB's, which is used");
  }
  await measure();
  startPeriodicJob({
    name: 'store clock',
    intervalMs: measureEveryMs,
    firstDelayMs: measureEveryMs,
    lifetime,
    logger,
    runOnce: measure,
  });
  return storeClock;
}
