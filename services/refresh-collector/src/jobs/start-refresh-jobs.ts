import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { AdmissionWatch } from '../admission/watch-admission.ts';
import type { RecentUse } from '../recent-use.ts';
import type { SagaDeps } from '../saga/apply-fact.ts';
import type { LedgerClient } from '../saga/hold-client.ts';
import { resendQueues } from '../saga/refresh-document.ts';
import type { RefreshConfig } from '../saga/saga-config.ts';
import { sweepHolds } from './orphaned-holds.ts';
import { type Resends, resendWork } from './resend-work.ts';

export interface RefreshJobsDeps {
  readonly saga: SagaDeps;
  readonly resends: Resends;
  readonly ledger: LedgerClient;
  readonly admission: AdmissionWatch;
  readonly use: RecentUse;
}

/** Starts the jobs that refreshes depend on beside messages: resends, counts, and old holds. */
export function startRefreshJobs(
  context: ServiceContext<ServiceConfig & RefreshConfig>,
  { saga, resends, ledger, admission, use }: RefreshJobsDeps,
): void {
  const { config, lifetime, logger } = context;
  const { watchMs, holds, deadlines, resend } = config;
  const jobs = { lifetime, logger };
  const resending = { ...saga, resends, settleGraceMs: deadlines.settleGraceMs, resend, logger };
  for (const queue of resendQueues) {
    startWorker({ ...resendWork(resending, queue), lookEveryMs: watchMs }, context);
  }
  startPeriodicJob({
    ...jobs,
    name: 'admission',
    intervalMs: () => use.pauseMs(watchMs),
    runOnce: () => admission.update(),
  });
  use.onResumed(() => admission.update());
  startPeriodicJob({
    ...jobs,
    name: 'old holds',
    intervalMs: holds.sweepMs,
    runOnce: () => sweepHolds(saga, ledger, holds.ageSeconds, logger),
  });
}
