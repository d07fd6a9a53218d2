import type { ProjectEvent } from '@inventory/contracts/http/project-event';
import type { ReceivedMessage } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import { type OutboxRelay, startOutboxRelay } from '@inventory/mongo/outbox';
import { monotonicNow } from '@inventory/runtime/clock';
import { createMovingMean } from '@inventory/runtime/moving-mean';
import { type Backends, openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import Router from '@koa/router';
import { indexes } from './collections.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { type EgressPool, openEgressPool } from './egress/egress-pool.ts';
import type { PageReadingDeps } from './egress/read-page.ts';
import type { SlotRules } from './egress/slot-order.domain.ts';
import { watchAppBreakers } from './egress/watch-app-breakers.ts';
import { addLivePageRoutes, type LivePageRoutes } from './live-pages/live-page-routes.ts';
import { openLivePages } from './live-pages/open-live-pages.ts';
import { countAnswer, countTransition, observe } from './metrics.ts';
import { openClients } from './open-clients.ts';
import { openStores, type Stores } from './open-stores.ts';
import { addAdmissionRoutes } from './refreshes/admission-routes.ts';
import type { SagaDeps } from './refreshes/apply-fact.ts';
import { onBillingOutcome } from './refreshes/on-billing-outcome.ts';
import { onProjectEvent } from './refreshes/on-project-event.ts';
import { onRefreshCommands } from './refreshes/on-refresh-commands.ts';
import { onRevisionOutcomes } from './refreshes/on-revision-outcomes.ts';
import { addRefreshRoutes } from './refreshes/refresh-routes.ts';
import type { CollectionPace } from './refreshes/retry-after.domain.ts';
import { startSweepers } from './refreshes/start-sweepers.ts';
import { keepSurvey } from './refreshes/survey-refreshes.ts';
import { type AdmissionWatch, watchAdmission } from './refreshes/watch-admission.ts';
import { noPlan, type PublishedPlan } from './scans/published-plan.domain.ts';
import { type Scanning, startScanning } from './scans/start-scanning.ts';

const lanesMax = 32;
const requestAgeMaxMs = 10 * 60_000;
const accountCountMs = 1_000;
/** Taken for the time of a page request until some were measured. */
const pageFirstMs = 1_000;

/** Starts the service: stores, sagas, scanning, consumers, and its internal HTTP last. */
export async function startRefreshCollector(
  context: ServiceContext<RefreshCollectorConfig>,
): Promise<StartedService> {
  const { config, lifetime, logger, clock } = context;
  const backends = await openBackends(context, 'refresh-collector', indexes);
  const replica = context.identifiers.uuidV7();
  const stores = openStores(backends.db, config, clock, replica);
  let scanning: Scanning | undefined;
  const plan = () => scanning?.plan() ?? noPlan;
  const clients = openClients(config, lifetime);
  const relay = openRelay(context, backends);
  const breakers = watchAppBreakers(stores.breakers, clock, logger);
  const { outstandingMax, outstandingPerAccountMax } = config.admission;
  const admission = watchAdmission(
    stores.admission,
    breakers.isOpen,
    plan,
    { outstandingMax, outstandingPerAccountMax, accountCountMs },
    clock,
  );
  await Promise.all([admission.round(), breakers.round()]);
  const identityIds = clients.egress.map(({ id }) => id);
  const identities = openIdentities(context, stores, identityIds, plan);
  const survey = keepSurvey({
    store: stores.survey,
    identities: stores.identities,
    identityIds,
    limits: config.identities,
    clock,
  });
  const pace = paceOf(config);
  const saga: SagaDeps = {
    refreshes: stores.refreshes,
    publish: backends.bus.publish,
    clock,
    onChanged: (refresh, left) => {
      countTransition(refresh, left);
      logger.debug({ refresh_id: refresh.id, phase: refresh.phase }, 'refresh advanced');
      scanning?.noticed(refresh, left);
    },
    sendFromOutbox: relay.send,
  };
  const pageTimes = createMovingMean(pageFirstMs);
  const reading: PageReadingDeps = {
    ...clients,
    identities,
    breakers,
    onAnswer: (answer, purpose, durationMs) => {
      countAnswer(answer, purpose, durationMs);
      pageTimes.add(durationMs);
    },
    onNotReturned: (error) => logger.warn({ err: error }, 'egress identity not given back'),
    monotonicNow,
  };
  const livePages = openLivePages(context, { clients, reading, pace });
  const parts = { stores, clients, saga, reading, breakers, admission, survey };
  scanning = startScanning(context, {
    ...parts,
    replica,
    identities: identities.states,
    pageMs: () => pageTimes.mean,
    livePagesPerMinute: livePages.askedPerMinute,
  });
  startSweepers(context, parts);
  observe({
    outstanding: () => admission.latch.outstanding,
    scansRunning: () => scanning?.running() ?? 0,
    plan,
    identityWaits: () => identities.waiting,
    livePages: livePages.running,
    admission: () => admission.latch,
    openBreakers: () => breakers.openCount,
    survey: () => survey.latest,
    now: () => clock.now(),
  });
  await startConsuming(context, backends, saga, admission);
  return serve(context, backends, { stores, admission, pace, livePages, plan });
}

function openRelay(
  { lifetime, logger, clock }: ServiceContext,
  { bus, db }: Backends,
): OutboxRelay {
  return startOutboxRelay({
    db,
    collectionName: 'refreshes',
    publish: bus.publish,
    now: () => clock.now(),
    lifetime,
    logger,
  });
}

function openIdentities(
  { config, lifetime, logger, clock, identifiers }: ServiceContext<RefreshCollectorConfig>,
  stores: Stores,
  identityIds: readonly string[],
  slotRules: () => SlotRules,
): EgressPool {
  return openEgressPool({
    identityIds,
    store: stores.identities,
    limits: config.identities,
    slotRules,
    // Longer than any request: an identity in use elsewhere is never taken twice.
    requestMaxMs: config.platform.timeoutMs * 2,
    lifetime,
    clock,
    identifiers,
    logger,
  });
}

function paceOf({ platform, identities }: RefreshCollectorConfig): CollectionPace {
  const count = platform.egress.length;
  return {
    pagesPerSecond: (count * identities.requestsPerMinute) / 60,
    burstPages: count * identities.burst,
  };
}

async function startConsuming(
  { config, lifetime, clock, logger }: ServiceContext<RefreshCollectorConfig>,
  { bus }: Backends,
  saga: SagaDeps,
  gate: AdmissionWatch,
): Promise<void> {
  const admit = {
    refreshes: saga.refreshes,
    gate,
    publish: bus.publish,
    clock,
    queueDeadlineMs: config.deadlines.queueMs,
    requestAgeMaxMs,
  };
  const subscription = await bus.consume({
    group: 'refresh-collector',
    topics: [
      'refresh.commands.v1',
      'billing.outcomes.v1',
      'revision.outcomes.v1',
      'project.events.v1',
    ],
    onBatch: byKey(
      {
        ...onRefreshCommands(admit, saga),
        ...onBillingOutcome({ ...saga, logger }),
        ...onRevisionOutcomes(saga),
        ...onProjectEvent(saga),
      },
      lanesMax,
      laneOf,
    ),
  });
  lifetime.defer('consumer', () => subscription.stop());
}

interface ServedDeps {
  readonly stores: Stores;
  readonly admission: AdmissionWatch;
  readonly pace: CollectionPace;
  readonly livePages: LivePageRoutes;
  readonly plan: () => PublishedPlan;
}

function serve(
  context: ServiceContext<RefreshCollectorConfig>,
  { health }: Backends,
  { stores, admission, pace, livePages, plan }: ServedDeps,
): Promise<StartedService> {
  const { config, clock } = context;
  const router = new Router();
  const { refreshes, list } = stores;
  addRefreshRoutes(router, {
    refreshes,
    list,
    pace,
    plan,
    assetsPerPage: config.scan.count,
    clock,
  });
  addAdmissionRoutes(router, {
    store: stores.admission,
    outstandingMax: config.admission.outstandingMax,
    refresh: () => admission.round(),
  });
  addLivePageRoutes(router, livePages);
  return serveInternal(context, router, health);
}

/** Only what concerns one refresh has to stay in order: an account's burst delays nobody. */
function laneOf(message: ReceivedMessage): string {
  switch (message.type) {
    case 'billing.outcome.v1':
      return message.body.refresh_id ?? message.key;
    case 'project.event-appended.v1':
      return laneOfEvent(message.body.event, message.key);
    default:
      return message.key;
  }
}

function laneOfEvent(event: ProjectEvent, key: string): string {
  return event.type === 'inventory.refresh.completed' ? event.data.refresh_id : key;
}
