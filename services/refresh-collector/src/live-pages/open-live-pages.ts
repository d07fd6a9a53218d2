import type { AccountId } from '@inventory/contracts/ids';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { createFadingRate } from '@inventory/runtime/moving-mean';
import { createKeyedSemaphore } from '@inventory/runtime/semaphore';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { EgressConfig } from '../egress/egress-config.ts';
import type { Egress } from '../egress/open-egress.ts';
import type { Denial } from '../egress/page-verdicts.domain.ts';
import type { RecentUse } from '../recent-use.ts';
import {
  abandonedReadsMax,
  type LivePageOutcome,
  liveRetryAfterSeconds,
} from './live-page.domain.ts';
import type { LivePageConfig } from './live-page-config.ts';
import { countLivePage, liveRunning } from './live-page-metrics.ts';

/** What live pages are read with: their route takes it whole. */
export type LivePages = ReturnType<typeof openLivePages>;

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
  egress: Egress,
  inventories: KnownInventories,
  use: RecentUse,
) {
  const { live, pages } = config;
  const { pace } = egress;
  /** Bounds the live pages in progress, in all and of one account. */
  const limiter = createKeyedSemaphore<AccountId>(live.limits);
  const abandonedMax = abandonedReadsMax(pace.pagesPerSecond * secondsPerMinute);
  const keysMax = abandoningAccountsMax;
  const requested = createFadingRate(minuteMs);
  liveRunning.observe((observe) => observe(limiter.held));

  return {
    egress,
    limiter,
    rules: { ...pages, triesMax: live.triesMax, retryMs: live.retryMs },
    /** Aborted when the process stops. */
    stopping: lifetime.signal,
    waitMaxMs: live.waitMaxMs,
    /** Most pages of one account that are read at a time. */
    accountReadsMax: live.limits.perKeyMax,
    /** Most of one account in a minute whose client leaves before the platform responds. */
    abandonedMax,
    /** A token for each request to the platform whose page lost its client: it is not paid. */
    abandoned: createTokenBuckets(abandonedMax, keysMax, clock),
    /** What was confirmed of an inventory a short time ago, by any replica. */
    findDenial: (scope: InventoryKey): Promise<Denial | null> =>
      inventories.readDenial(inventoryKeyText(scope), live.denialMs),
    recordDenial: (scope: InventoryKey, denial: Denial): Promise<void> =>
      inventories
        .recordDenial(inventoryKeyText(scope), denial)
        .catch((error: unknown) => logger.warn({ err: error }, 'denial not recorded')),
    /** A page is requested; returns what counts its end. */
    async begin(): Promise<(outcome: LivePageOutcome) => void> {
      const startMs = egress.monotonicNow();
      requested.add(startMs);
      await use.note();
      return (outcome) => countLivePage(outcome, egress.monotonicNow() - startMs);
    },
    async retryAfterSeconds(outcome: LivePageOutcome, appId: number): Promise<number> {
      const [identityFreeInMs, nowMs] = [await egress.pool.freeInMs(), clock.now()];
      return liveRetryAfterSeconds(outcome, {
        identityFreeInMs,
        breakerOpenMs: egress.breakers.openUntilMs(appId) - nowMs,
        queueMs: (egress.pool.waiting / pace.pagesPerSecond) * 1_000,
      });
    },
    /** Live pages requested of this replica in the last minute, older ones fading out. */
    requestedPerMinute: (): number => requested.perWindow(egress.monotonicNow()),
  };
}
