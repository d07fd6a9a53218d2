import { monotonicNow } from '@inventory/runtime/clock';
import { createMovingMean } from '@inventory/runtime/moving-mean';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import type { RecentUse } from '../recent-use.ts';
import type { AppBreakerStore } from './app-breaker-store.ts';
import type { EgressConfig } from './egress-config.ts';
import { openEgressIdentities } from './egress-identities.ts';
import { collectionPace } from './egress-identity.domain.ts';
import { identityWaits, openBreakers, platformResponses } from './egress-metrics.ts';
import { openEgressPool } from './egress-pool.ts';
import type { IdentityStore } from './identity-store.ts';
import { createPlatformClient } from './platform-client.ts';
import type { SlotRules } from './slot-order.domain.ts';
import { watchAppBreakers } from './watch-app-breakers.ts';

/** Everything that reads a page of the platform. */
export type Egress = Awaited<ReturnType<typeof openEgress>>;

/** Assumed mean time of a page request before any was measured. */
const pageFirstMs = 1_000;

/** Opens the connections, the pool of egress slots and the circuit breakers. */
export async function openEgress(
  context: ServiceContext<ServiceConfig & EgressConfig>,
  replica: string,
  stores: { readonly identities: IdentityStore; readonly breakers: AppBreakerStore },
  slotRules: () => SlotRules,
  use: RecentUse,
) {
  const { config, lifetime, clock, logger } = context;
  const { platform } = config;
  const breakers = watchAppBreakers(stores.breakers, clock, logger);
  await breakers.update();
  const identities = openEgressIdentities(platform.egress, platform.connectTimeoutMs);
  const ids = identities.map(({ id }) => id);
  const pool = openEgressPool(context, replica, ids, stores.identities, slotRules);
  // Before the pool closes: a page that outlasts the stop ends, and its slot is released.
  lifetime.defer('egress', async () => {
    await Promise.all(identities.map(({ dispatcher }) => dispatcher.destroy()));
  });
  startPeriodicJob({
    name: 'app breakers',
    intervalMs: () => use.pauseMs(config.watchMs),
    lifetime,
    logger,
    runOnce: () => breakers.update(),
  });
  use.onResumed(() => breakers.update());
  const pageTimes = createMovingMean(pageFirstMs);
  identityWaits.observe((observe) => observe(pool.waiting));
  openBreakers.observe((observe) => observe(breakers.openCount));
  return {
    identities,
    pool,
    breakers,
    platform: createPlatformClient(config, clock),
    pace: collectionPace(identities.length, config.identities),
    /** Parses and serializes large pages, one at a time. */
    executor: createSerialExecutor(),
    onResponse(response: PlatformResponse, purpose: 'scan' | 'live', durationMs: number): void {
      platformResponses.record(durationMs / 1_000, { response: response.kind, purpose });
      pageTimes.add(durationMs);
    },
    /** An identity that could not be released is free once its longest request would have ended. */
    onReleaseFailed: (error: unknown): void =>
      logger.warn({ err: error }, 'egress slot release failed'),
    monotonicNow,
    /** Mean time of one page request. */
    pageMs: (): number => pageTimes.mean,
  };
}
