import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { RefreshCollectorConfig } from '../config.ts';
import type { HoldClient } from '../saga/hold-client.ts';
import type { Saga } from '../saga/open-saga.ts';
import { sweepHolds } from '../saga/orphaned-holds.ts';
import { resendQueues } from '../saga/refresh-document.ts';
import { type Resends, resendWork } from './resend-work.ts';

/** Starts the jobs that refreshes depend on beside messages: resends, and the sweep of old holds. */
export function startRefreshJobs(
  context: ServiceContext<RefreshCollectorConfig>,
  saga: Saga,
  resends: Resends,
  holds: HoldClient,
): void {
  const { config, lifetime, logger } = context;
  for (const queue of resendQueues) {
    const kind = resendWork(saga, resends, queue, config);
    startWorker({ ...kind, pollEveryMs: config.watchMs }, context);
  }
  startPeriodicJob({
    lifetime,
    logger,
    name: 'old holds',
    intervalMs: config.holds.sweepMs,
    runOnce: () => sweepHolds(saga, holds, config.holds.ageSeconds, config.environment),
  });
}
