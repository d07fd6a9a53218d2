import { watchAdmission } from '@inventory/refresh-collector/admission/watch-admission';
import type { RefreshCollectorConfig } from '@inventory/refresh-collector/config';
import {
  createIdentityCache,
  type IdentityCache,
} from '@inventory/refresh-collector/egress/identity-cache';
import { startRefreshJobs } from '@inventory/refresh-collector/jobs/start-refresh-jobs';
import { openStores, type Stores } from '@inventory/refresh-collector/open-stores';
import {
  createPlannerLease,
  type PlannerLease,
} from '@inventory/refresh-collector/plan/planner-lease';
import {
  type ScanningDeps,
  startScanning,
} from '@inventory/refresh-collector/planning/start-scanning';
import { createRecentUse, type RecentUse } from '@inventory/refresh-collector/recent-use';
import type { RefreshStore } from '@inventory/refresh-collector/saga/refresh-store';
import { monotonicNow, systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import { createLogger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { only } from '@inventory/testkit/only';
import type { Db } from 'mongodb';
import { Agent } from 'undici';

export interface StubReplica {
  readonly name: string;
  readonly running: () => number;
  readonly lifetime: Lifetime;
}

const logger = createLogger({ service: 'bench', level: 'fatal' });
/** Each scan reads a page this often: an identity of its own at three a minute. */
const pageEveryMs = 20_000;
const totalCount = 60_000;
const stopMs = 60_000;

/** The planning, the workers, the jobs and the stores of a collector; its platform is a clock. */
export function startStubReplica(
  db: Db,
  config: RefreshCollectorConfig,
  identityCount: number,
): StubReplica {
  const name = systemIdentifiers.uuidV7();
  const lifetime = openLifetime(logger, stopMs);
  const context = { config, lifetime, logger, clock: systemClock, identifiers: systemIdentifiers };
  const stores = openStores(db, { ...context, replica: name });
  const identityIds = Array.from({ length: identityCount }, (_, index) => `identity-${index}`);
  const identities = createIdentityCache({
    ...{ store: stores.identities, identityIds, limits: config.identities },
    ...{ requestMaxMs: config.platform.timeoutMs, clock: systemClock },
  });
  const planner = createPlannerLease({ ...context, ...stores, replica: name });
  const refreshes = openStubRefreshes(stores.refreshes);
  const use = createRecentUse(config.scheduling);
  startJobs(context, { stores, planner, saga: refreshes.saga, use });
  const { running } = startScanning(context, {
    ...{ stores, revisionStore, planner, replica: name },
    refreshes,
    use,
    egress: stubEgress(identities),
    observations: { findLatest: async () => null },
    livePagesPerMinute: () => 0,
  });
  return { name, running, lifetime };
}

interface JobsDeps {
  readonly stores: Stores;
  readonly planner: PlannerLease;
  readonly saga: ScanningDeps['refreshes']['saga'];
  readonly use: RecentUse;
}

/** The periodic jobs of a collector: admission, resends, old holds of a ledger that has none. */
function startJobs(
  context: Parameters<typeof startScanning>[0],
  { stores, planner, saga, use }: JobsDeps,
): void {
  const { config, clock } = context;
  const { admission, resends } = stores;
  const rules = { ...config.admission, accountCountMs: 1_000 };
  startRefreshJobs(context, {
    saga,
    resends,
    ledger: only({ listHoldsOlderThan: async () => ({ asOfMs: null, items: [] }) }),
    admission: watchAdmission(
      admission,
      () => false,
      () => planner.plan,
      rules,
      use,
      clock,
    ),
    use,
  });
}

function openStubRefreshes(refreshes: RefreshStore): ScanningDeps['refreshes'] {
  const listeners: Parameters<ScanningDeps['refreshes']['onRefreshChanged']>[0][] = [];
  return {
    saga: {
      refreshes,
      publish: async () => {},
      clock: systemClock,
      onChanged: (refresh, left) => {
        for (const listener of listeners) listener(refresh, left);
      },
      logger,
    },
    onRefreshChanged: (listener) => void listeners.push(listener),
  };
}

const stubEgress = (identities: IdentityCache): ScanningDeps['egress'] => ({
  identities: [{ id: 'identity', dispatcher: new Agent() }],
  executor: { enqueue: (compute) => Promise.resolve(compute()) },
  onReleaseFailed: () => {},
  onAnswer: () => {},
  monotonicNow,
  pool: {
    async acquire(_request, signal) {
      await pause(2 * pageEveryMs * Math.random(), signal);
      if (!signal.aborted) await identities.currentIdentities();
      return signal.aborted ? undefined : { identityId: 'identity', release: async () => {} };
    },
    restIdentity: async () => {},
    freeInMs: async () => 0,
    identityStates: () => identities.currentIdentities(),
    waiting: 0,
  },
  breakers: {
    isOpen: () => false,
    openUntilMs: () => 0,
    openCount: 0,
    scanAllowance: () => 'all',
    admits: async () => true,
    trackRequest: () => async () => {},
    update: async () => {},
  },
  platform: {
    fetchPage: async (_identity, { startAssetId }) => ({
      status: 200,
      body: Buffer.from(JSON.stringify(pageAfter(Number(startAssetId ?? 0)))),
      retryAfterMs: null,
    }),
    timeoutMsFor: () => stopMs,
  },
  pageMs: () => 500,
});

function pageAfter(last: number) {
  const assetid = String(last + 1);
  const asset = { appid: 730, contextid: '2', assetid, classid: '1', amount: '1' };
  return {
    success: 1,
    assets: [asset],
    descriptions: [],
    total_inventory_count: totalCount,
    more_items: 1,
    last_assetid: assetid,
  };
}

const revisionStore: ScanningDeps['revisionStore'] = {
  textOf: async (page) => Buffer.from(JSON.stringify(page)),
  readEpoch: async () => 'inventory/0',
  stagePage: async ({ epoch, page }) => ({
    page,
    epoch,
    chunks: [{ digest: '0'.repeat(64), bytes: 1 }],
  }),
};
