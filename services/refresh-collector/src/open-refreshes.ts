import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { startScrapedReading } from '@inventory/runtime/scraped-reading';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { Backends } from '@inventory/service-host/open-backends';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { admissionRoutes } from './admission/admission-routes.ts';
import type { InventorySizes } from './admission/admit-attempt.ts';
import { watchAdmission } from './admission/watch-admission.ts';
import type { EgressConfig } from './egress/egress-config.ts';
import type { EgressPool } from './egress/egress-pool.ts';
import { startRefreshJobs } from './jobs/start-refresh-jobs.ts';
import type { ObservationClient } from './observations/find-observation.ts';
import { type TakeCommittedDeps, takeCommitted } from './observations/take-committed.ts';
import type { Stores } from './open-stores.ts';
import { expectedPagesOf, type PublishedPlan } from './plan/published-plan.domain.ts';
import { collectionPace, estimateOf } from './plan/status-estimate.domain.ts';
import { observeRefreshes } from './plan/survey-metrics.ts';
import { type SurveyPublisher, surveyRefreshes } from './plan/survey-refreshes.ts';
import { refreshRoutes } from './reads/refresh-routes.ts';
import type { RecentUse } from './recent-use.ts';
import type { SagaDeps } from './saga/apply-fact.ts';
import type { LedgerClient } from './saga/hold-client.ts';
import type { Refresh } from './saga/refresh.domain.ts';
import { countTransition } from './saga/refresh-metrics.ts';
import type { RefreshStore } from './saga/refresh-store.ts';
import type { RefreshConfig } from './saga/saga-config.ts';
import { countEnds } from './status/count-ends.ts';
import { statusRoute } from './status/status-route.ts';

export interface RefreshesDeps {
  readonly backends: Pick<Backends, 'bus'>;
  readonly stores: Stores;
  readonly ledger: LedgerClient;
  readonly observations: ObservationClient;
  readonly egress: {
    readonly identities: readonly { readonly id: string }[];
    readonly breakers: { isOpen(appId: number): boolean };
    readonly pool: Pick<EgressPool, 'identityStates'>;
  };
  readonly planner: SurveyPublisher & { readonly plan: PublishedPlan };
  readonly use: RecentUse;
}

type Context = ServiceContext<ServiceConfig & EgressConfig & RefreshConfig>;
type RefreshListener = SagaDeps['onChanged'];

export type Refreshes = Awaited<ReturnType<typeof openRefreshes>>;

const accountCountMs = 1_000;

/** Opens the saga of refreshes, their admission, and the jobs beside them. */
export async function openRefreshes(
  context: Context,
  { backends, stores, ledger, observations, egress, planner, use }: RefreshesDeps,
) {
  const { config, clock } = context;
  const rules = { ...config.admission, accountCountMs };
  const { isOpen } = egress.breakers;
  const plan = () => planner.plan;
  const admission = watchAdmission(stores.admission, isOpen, plan, rules, use, clock);
  await admission.update();
  const limits = config.identities;
  const { identityStates } = egress.pool;
  const survey = surveyRefreshes({ store: stores.survey, identityStates, limits, planner, clock });
  const { saga, onRefreshChanged } = openSaga(context, backends.bus, stores.refreshes);
  onRefreshChanged(() => void use.note());
  onRefreshChanged(countEnds(context, stores.quarterHours));
  startRefreshJobs(context, { saga, resends: stores.resends, ledger, admission, use });
  const scraped = startScrapedReading({ ...context, name: 'refresh survey', read: survey });
  observeRefreshes({
    admission: () => admission.state,
    survey() {
      scraped();
      return planner.survey;
    },
    now: () => clock.now(),
  });
  const pace = collectionPace(egress.identities.length, limits);
  const { refreshes, refreshLists: lists } = stores;
  const inventories = sizesOf(stores.inventories, plan, clock);
  const ofReads = { refreshes, lists, inventories, admission };
  const { settleGraceMs } = config.deadlines;
  const assetsPerPage = config.pages.count;
  /** Of a refresh with so many open ones of its account before it. */
  const estimate = (refresh: Refresh, before: number) =>
    estimateOf(refresh, { plan: plan(), pace, assetsPerPage, before, nowMs: clock.now() });
  const observing = { saga, lists, observations, clock, logger: context.logger };
  const reads = { ...ofReads, ...observing, ledger, estimate, settleGraceMs };
  onRefreshChanged(onQueued(observing));
  const ofAdmission = {
    store: stores.admission,
    outstandingMax: config.admission.outstandingMax,
    update: () => admission.update(),
  };
  return {
    saga,
    admission,
    pace,
    estimate,
    inventories,
    takeCommitted: (scope: InventoryKey) => takeCommitted(observing, scope),
    /** Adds a listener for refreshes that enter a phase on this replica. */
    onRefreshChanged,
    routes: [
      ...refreshRoutes.map((route) => route.bind(reads)),
      ...admissionRoutes.map((route) => route.bind(ofAdmission)),
      statusRoute.bind({ ...stores, store: stores.admission, plan, clock }),
    ],
  };
}

function sizesOf(
  { readSize }: Stores['inventories'],
  plan: () => PublishedPlan,
  clock: Clock,
): InventorySizes {
  return {
    expectedPages: async (inventory) =>
      expectedPagesOf(await readSize(inventory), plan(), clock.now()),
  };
}

/** What was observed while a refresh was accepted is not observed again. */
function onQueued(deps: TakeCommittedDeps): RefreshListener {
  return ({ phase, freshness, scope, refreshId }) => {
    if (phase !== 'queued' || freshness === null) return;
    takeCommitted(deps, scope).catch((err: unknown) =>
      deps.logger.warn({ err, refresh_id: refreshId }, 'no observation taken'),
    );
  };
}

function openSaga(context: Context, { publish }: MessageBus, refreshes: RefreshStore) {
  const { clock, logger } = context;
  const listeners: RefreshListener[] = [];
  const saga: SagaDeps = {
    refreshes,
    publish,
    clock,
    onChanged(refresh, left) {
      countTransition(refresh, left);
      logger.debug({ refresh_id: refresh.refreshId, phase: refresh.phase }, 'refresh advanced');
      for (const listener of listeners) listener(refresh, left);
    },
    logger,
  };
  return { saga, onRefreshChanged: (listener: RefreshListener) => void listeners.push(listener) };
}
