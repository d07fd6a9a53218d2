import { type LoopOptions, startLoop } from '@inventory/runtime/loop';
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
  const repeat = (options: Omit<LoopOptions, 'logger'>) => {
    const loop = startLoop({ ...options, logger });
    lifetime.defer(options.name, () => loop.stop());
  };
  const { watchMs } = config.sweeps;
  repeat({ name: 'admission', idleMs: watchMs, round: done(() => admission.round()) });
  repeat({ name: 'app breakers', idleMs: watchMs, round: done(() => breakers.round()) });
  repeat({
    name: 'asking again',
    idleMs: watchMs,
    round: () => resendWaitingRefreshes(saga, stores.due, logger),
  });
  repeat({ name: 'refresh survey', idleMs: surveyMs, round: done(() => survey.round()) });
  repeat({
    name: 'old holds',
    idleMs: config.holds.sweepMs,
    round: done(() => sweepHolds(saga, clients.ledger, config.holds.ageSeconds, logger)),
  });
}

function done(work: () => Promise<void>): () => Promise<boolean> {
  return async () => {
    await work();
    return false;
  };
}
