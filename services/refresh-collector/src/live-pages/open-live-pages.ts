import type { AccountId } from '@inventory/contracts/ids';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { createFadingRate } from '@inventory/runtime/moving-mean';
import { createKeyedSemaphore } from '@inventory/runtime/semaphore';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { EgressConfig } from '../egress/egress-config.ts';
import type { Denial } from '../egress/page-verdicts.domain.ts';
import type { ReadPageDeps } from '../egress/read-page.ts';
import type { CollectionPace } from '../plan/status-estimate.domain.ts';
import type { RecentUse } from '../recent-use.ts';
import { type Denials, readLivePage } from './fetch-live-page.ts';
import {
  abandonedReadsMax,
  type LivePageOutcome,
  liveRetryAfterSeconds,
} from './live-page.domain.ts';
import type { LivePageConfig } from './live-page-config.ts';
import { countLivePage, liveRunning } from './live-page-metrics.ts';
import { type LivePageRouteDeps, readLivePageRoute } from './live-page-route.ts';

const minuteMs = 60_000;
const secondsPerMinute = 60;
const abandoningAccountsMax = 10_000;

type Context = ServiceContext<ServiceConfig & EgressConfig & LivePageConfig>;

/** What all replicas know of inventories, by their text. */
interface KnownInventories {
  readDenial(inventory: string, keepMs: number): Promise<Denial | null>;
  recordDenial(inventory: string, denial: Denial): Promise<void>;
}

/** Live pages use the egress pool and the breakers of the scans, and precede them. */
export function openLivePages(
  { config, lifetime, clock, logger }: Context,
  {
    egress,
    inventories,
    pace,
    use,
  }: {
    readonly egress: ReadPageDeps;
    readonly inventories: KnownInventories;
    readonly pace: CollectionPace;
    readonly use: RecentUse;
  },
) {
  const { live, pages } = config;
  const limiter = createKeyedSemaphore<AccountId>(live.limits);
  const abandonedMax = abandonedReadsMax(pace.pagesPerSecond * secondsPerMinute);
  const keysMax = abandoningAccountsMax;
  const abandoned = createTokenBuckets({ perMinute: abandonedMax, keysMax, clock });
  const requested = createFadingRate(minuteMs);
  const denials: Denials = {
    find: (scope) => inventories.readDenial(inventoryKeyText(scope), live.denialMs),
    record: (scope, denial) =>
      inventories
        .recordDenial(inventoryKeyText(scope), denial)
        .catch((error: unknown) => logger.warn({ err: error }, 'denial not recorded')),
  };
  const rules = { ...pages, triesMax: live.triesMax, retryMs: live.retryMs };
  liveRunning.observe((observe) => observe(limiter.held));

  const deps: LivePageRouteDeps = {
    async read(request, signal) {
      const startMs = egress.monotonicNow();
      requested.add(startMs);
      await use.note();
      const ended = AbortSignal.any([signal, lifetime.signal]);
      const read = { egress, denials, limiter, abandoned, rules };
      const outcome = await readLivePage(read, request, ended);
      countLivePage(outcome, egress.monotonicNow() - startMs);
      return outcome;
    },
    async retryAfterSeconds(outcome: LivePageOutcome, appId: number) {
      const [identityFreeInMs, nowMs] = [await egress.pool.freeInMs(), clock.now()];
      return liveRetryAfterSeconds(outcome, {
        identityFreeInMs,
        breakerOpenMs: egress.breakers.openUntilMs(appId) - nowMs,
        queueMs: (egress.pool.waiting / pace.pagesPerSecond) * 1_000,
      });
    },
    executor: egress.executor,
    waitMaxMs: live.waitMaxMs,
    accountReadsMax: live.limits.perKeyMax,
    abandonedMax,
  };
  return {
    routes: [readLivePageRoute.bind(deps)],
    /** Live pages requested of this replica in the last minute, older ones fading out. */
    requestedPerMinute: () => requested.perWindow(egress.monotonicNow()),
  };
}
