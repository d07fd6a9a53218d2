import { monotonicNow } from '@inventory/runtime/clock';
import { createMovingMean } from '@inventory/runtime/moving-mean';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { SerialExecutor } from '@inventory/runtime/serial-executor';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RecentUse } from '../recent-use.ts';
import type { AppBreakerStore } from './app-breaker-store.ts';
import type { EgressConfig } from './egress-config.ts';
import { openEgressIdentities } from './egress-identities.ts';
import { identityWaits, openBreakers, platformAnswers } from './egress-metrics.ts';
import { openEgressPool } from './egress-pool.ts';
import type { IdentityStore } from './identity-store.ts';
import { createPlatformClient } from './platform-client.ts';
import type { ReadPageDeps } from './read-page.ts';
import type { SlotRules } from './slot-order.domain.ts';
import { watchAppBreakers } from './watch-app-breakers.ts';

/** Everything that reads a page of the platform. */
export interface Egress extends ReadPageDeps {
  /** Mean time of one page request. */
  readonly pageMs: () => number;
}

/** Assumed mean time of a page request before any was measured. */
const pageFirstMs = 1_000;

/** Opens the connections, the pool of egress slots and the circuit breakers. */
export async function openEgress(
  { config, lifetime, clock, identifiers, logger }: ServiceContext<ServiceConfig & EgressConfig>,
  {
    replica,
    stores,
    slotRules,
    executor,
    use,
  }: {
    readonly replica: string;
    readonly stores: { readonly identities: IdentityStore; readonly breakers: AppBreakerStore };
    readonly slotRules: () => SlotRules;
    readonly executor: SerialExecutor;
    readonly use: RecentUse;
  },
): Promise<Egress> {
  const { platform } = config;
  const breakers = watchAppBreakers(stores.breakers, clock, logger);
  await breakers.update();
  const identities = openEgressIdentities(platform.egress, platform.connectTimeoutMs);
  const pool = openEgressPool({
    replica,
    identityIds: identities.map(({ id }) => id),
    store: stores.identities,
    limits: config.identities,
    slotRules,
    // Longer than any request: an identity in use by another replica is never acquired.
    requestMaxMs: platform.timeoutMs * 2,
    lifetime,
    clock,
    identifiers,
    logger,
  });
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
    platform: createPlatformClient(platform, {
      clock,
      retryAfterMaxMs: config.identities.silenceMaxMs,
    }),
    executor,
    onAnswer(answer, purpose, durationMs) {
      platformAnswers.record(durationMs / 1_000, { answer: answer.kind, purpose });
      pageTimes.add(durationMs);
    },
    onReleaseFailed: (error) => logger.warn({ err: error }, 'egress slot release failed'),
    monotonicNow,
    pageMs: () => pageTimes.mean,
  };
}
