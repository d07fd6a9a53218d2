import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Observations } from '../observations/open-observations.ts';
import type { Expectations } from '../plan/expectations.ts';
import type { PlannerLease } from '../plan/planner-lease.ts';
import type { RecentUse } from '../recent-use.ts';
import type { Saga } from '../saga/open-saga.ts';
import type { SagaConfig } from '../saga/saga-config.ts';
import type { AdmissionStore } from './admission-store.ts';
import { watchAdmission } from './watch-admission.ts';

/** What attempts are admitted with: its commands and routes take it whole. */
export type Admission = Awaited<ReturnType<typeof openAdmission>>;

const accountCountMs = 1_000;

/** Opens admission, and updates it once a second while the replica is used. */
export async function openAdmission(
  context: ServiceContext<ServiceConfig & SagaConfig>,
  store: AdmissionStore,
  isAppBreakerOpen: (appId: number) => boolean,
  planner: PlannerLease,
  use: RecentUse,
  of: {
    readonly saga: Saga;
    readonly observations: Observations;
    readonly expectations: Expectations;
  },
) {
  const { config, lifetime, clock, logger } = context;
  const rules = { ...config.admission, accountCountMs };
  const plan = () => planner.plan;
  const watch = watchAdmission(store, isAppBreakerOpen, plan, rules, use, clock);
  await watch.update();
  startPeriodicJob({
    lifetime,
    logger,
    name: 'admission',
    intervalMs: () => use.pauseMs(config.watchMs),
    runOnce: () => watch.update(),
  });
  use.onResumed(() => watch.update());
  return {
    ...of,
    store,
    watch,
    outstandingMax: rules.outstandingMax,
    /** Longest time in the queue. */
    queueMs: config.deadlines.queueMs,
  };
}
