import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RefreshCollectorConfig } from '../config.ts';
import type { SagaDeps } from './apply-fact.ts';
import type { LedgerClient } from './ledger-client.ts';
import { resendPendingCommands } from './resend-pending-commands.ts';
import type { ResendStore } from './resend-store.ts';
import { sweepHolds } from './sweep-holds.ts';
import type { AdmissionWatch } from './watch-admission.ts';

export interface RefreshJobsDeps {
  readonly saga: SagaDeps;
  readonly resends: ResendStore;
  readonly ledger: LedgerClient;
  readonly admission: AdmissionWatch;
  readonly survey: () => Promise<void>;
}

/** Starts the jobs that refreshes depend on beside messages: resends, counts, and old holds. */
export function startRefreshJobs(
  { config, lifetime, logger }: ServiceContext<RefreshCollectorConfig>,
  { saga, resends, ledger, admission, survey }: RefreshJobsDeps,
): void {
  const { watchMs, holds, deadlines } = config;
  const jobs = { lifetime, logger };
  const resending = { ...saga, resends, settleGraceMs: deadlines.settleGraceMs, logger };
  startPeriodicJob({
    ...jobs,
    name: 'admission',
    intervalMs: watchMs,
    runOnce: () => admission.update(),
  });
  startPeriodicJob({
    ...jobs,
    name: 'pending commands',
    intervalMs: watchMs,
    runOnce: () => resendPendingCommands(resending),
  });
  startPeriodicJob({
    ...jobs,
    name: 'refresh survey',
    intervalMs: watchMs,
    runOnce: survey,
  });
  startPeriodicJob({
    ...jobs,
    name: 'old holds',
    intervalMs: holds.sweepMs,
    runOnce: () => sweepHolds(saga, ledger, holds.ageSeconds, logger),
  });
}
