import { type PeriodicJobOptions, startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RefreshCollectorConfig } from '../config.ts';
import type { AppBreakers } from '../egress/watch-app-breakers.ts';
import type { Clients } from '../open-clients.ts';
import type { Stores } from '../open-stores.ts';
import type { SagaDeps } from './apply-fact.ts';
import { resendWaitingRefreshes } from './resend-waiting-refreshes.ts';
import type { SurveyKeeper } from './survey-refreshes.ts';
import { sweepHolds } from './sweep-holds.ts';
import type { AdmissionWatch } from './watch-admission.ts';

export interface SweeperDeps {
  readonly stores: Stores;
  readonly clients: Clients;
  readonly saga: SagaDeps;
  readonly admission: AdmissionWatch;
  readonly breakers: AppBreakers;
  readonly survey: SurveyKeeper;
}

const surveyMs = 10_000;

/** What time alone makes happen. */
export function startSweepers(
  { config, lifetime, logger }: ServiceContext<RefreshCollectorConfig>,
  { stores, clients, saga, admission, breakers, survey }: SweeperDeps,
): void {
  const { watchMs } = config.sweeps;
  const { sweepMs, ageSeconds } = config.holds;
  const repeat = (
    name: string,
    intervalMs: number,
    runOnce: PeriodicJobOptions['runOnce'],
  ): unknown => startPeriodicJob({ name, intervalMs, lifetime, logger, runOnce });
  repeat('admission', watchMs, () => admission.round());
  repeat('app breakers', watchMs, () => breakers.round());
  repeat('pending commands', watchMs, () => resendWaitingRefreshes(saga, stores.due, logger));
  repeat('refresh survey', surveyMs, () => survey.round());
  repeat('old holds', sweepMs, () => sweepHolds(saga, clients.ledger, ageSeconds, logger));
}
