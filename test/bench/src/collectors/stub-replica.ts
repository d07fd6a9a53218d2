import { openAdmission } from '@inventory/refresh-collector/admission/open-admission';
import type { RefreshCollectorConfig } from '@inventory/refresh-collector/config';
import {
  createIdentityCache,
  type IdentityCache,
} from '@inventory/refresh-collector/egress/identity-cache';
import { startRefreshJobs } from '@inventory/refresh-collector/jobs/start-refresh-jobs';
import type { Observations } from '@inventory/refresh-collector/observations/open-observations';
import type { Expectations } from '@inventory/refresh-collector/plan/expectations';
import { createPlannerLease } from '@inventory/refresh-collector/plan/planner-lease';
import { startScanning } from '@inventory/refresh-collector/planning/start-scanning';
import { createRecentUse } from '@inventory/refresh-collector/recent-use';
import { openSaga } from '@inventory/refresh-collector/saga/open-saga';
import type { Scans } from '@inventory/refresh-collector/scans/scans';
import { openStores } from '@inventory/refresh-collector/start-refresh-collector';
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
export async function startStubReplica(
  db: Db,
  config: RefreshCollectorConfig,
  identityCount: number,
): Promise<StubReplica> {
  const name = systemIdentifiers.uuidV7();
  const clock = systemClock;
  const lifetime = openLifetime(logger, stopMs);
  const context = { config, lifetime, logger, clock, identifiers: systemIdentifiers };
  const stores = openStores(db, config, name, clock, logger);
  const identityIds = Array.from({ length: identityCount }, (_, index) => `identity-${index}`);
  const { timeoutMs } = config.platform;
  const { identities: limits } = config;
  const identities = createIdentityCache(stores.identities, identityIds, limits, timeoutMs, clock);
  const planner = createPlannerLease(stores.plans, stores.replicas, name, clock, logger);
  const use = createRecentUse(config.scheduling);
  const saga = openSaga(context, only({ publish: async () => {} }), stores.refreshes);
  startRefreshJobs(
    context,
    saga,
    stores.resends,
    only({ listHoldsOlderThan: async () => ({ asOfMs: null, items: [] }) }),
  );
  await openAdmission(context, stores.admission, () => false, planner, use, {
    saga,
    observations: only<Observations>({}),
    expectations: only<Expectations>({}),
  });
  const { running } = startScanning(
    context,
    {
      saga,
      store: stores.scans,
      lists: stores.refreshLists,
      inventories: stores.inventories,
      egress: stubEgress(identities),
      staging,
      planner,
      config,
      identifiers: systemIdentifiers,
      replica: name,
      stopping: lifetime.signal,
    },
    only<Observations>({ takeInstead: async () => null }),
    stores.replicas,
    use,
    () => 0,
  );
  return { name, running, lifetime };
}

const stubEgress = (identities: IdentityCache): Scans['egress'] => ({
  identities: [{ id: 'identity', dispatcher: new Agent() }],
  executor: { enqueue: (compute) => Promise.resolve(compute()) },
  onReleaseFailed: () => {},
  onResponse: () => {},
  monotonicNow,
  pool: only({
    async acquire(_request, signal) {
      await pause(2 * pageEveryMs * Math.random(), signal);
      if (!signal.aborted) await identities.currentIdentities();
      return signal.aborted ? undefined : { identityId: 'identity', release: async () => {} };
    },
    coolDownIdentity: async () => {},
    identityStates: () => identities.currentIdentities(),
  }),
  breakers: only({
    scanAllowance: () => 'all',
    admits: async () => true,
    trackRequest: () => async () => {},
  }),
  platform: {
    fetchPage: async (_identity, { startAssetId }) => ({
      status: 200,
      body: Buffer.from(JSON.stringify(pageAfter(Number(startAssetId ?? 0)))),
      retryAfterMs: null,
    }),
    timeoutMsFor: () => stopMs,
  },
  pace: { pagesPerSecond: 1, burstPages: 1 },
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

const staging: Scans['staging'] = {
  textOf: async (page) => Buffer.from(JSON.stringify(page)),
  readEpoch: async () => 'inventory/0',
  stagePage: async ({ epoch, page }) => ({
    page,
    epoch,
    chunks: [{ digest: '0'.repeat(64), bytes: 1 }],
  }),
};
