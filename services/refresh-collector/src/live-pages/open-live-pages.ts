import type { AccountId } from '@inventory/contracts/ids';
import { createFadingRate } from '@inventory/runtime/moving-mean';
import { createKeyedSemaphore } from '@inventory/runtime/semaphore';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RefreshCollectorConfig } from '../config.ts';
import type { PageReadingDeps } from '../egress/read-page.ts';
import { countLivePage } from '../metrics.ts';
import type { Clients } from '../open-clients.ts';
import type { CollectionPace } from '../refreshes/retry-after.domain.ts';
import { type LiveOutcome, liveRetryAfterSeconds } from './live-page.domain.ts';
import type { LivePageRoutes } from './live-page-routes.ts';
import { readLivePage } from './read-live-page.ts';

const minuteMs = 60_000;

interface OpenLivePagesDeps {
  readonly clients: Clients;
  readonly reading: PageReadingDeps;
  readonly pace: CollectionPace;
}

export interface LivePages extends LivePageRoutes {
  readonly running: () => number;
  /** Live pages that this replica was asked for in the last minute, older ones fading out. */
  readonly askedPerMinute: () => number;
}

/** Live pages share the identities, limiters and breakers of the scans and go before them. */
export function openLivePages(
  { config, lifetime, clock }: ServiceContext<RefreshCollectorConfig>,
  { clients, reading, pace }: OpenLivePagesDeps,
): LivePages {
  const { live } = config;
  const limiter = createKeyedSemaphore<AccountId>(live.limits);
  const asked = createFadingRate(minuteMs);
  const rules = { ...config.scan, triesMax: live.triesMax, retryMs: live.retryMs };

  async function retryAfterSeconds(outcome: LiveOutcome, appId: number): Promise<number> {
    const [identityFreeInMs, nowMs] = [await reading.identities.freeInMs(), clock.now()];
    return liveRetryAfterSeconds(outcome, {
      identityFreeInMs,
      breakerOpenMs: reading.breakers.openUntilMs(appId) - nowMs,
      queueMs: (reading.identities.waiting / pace.pagesPerSecond) * 1_000,
    });
  }

  const read: LivePageRoutes['read'] = async (wanted, signal) => {
    const startMs = reading.monotonicNow();
    asked.add(startMs);
    const ended = AbortSignal.any([signal, lifetime.signal]);
    const outcome = await readLivePage({ reading, limiter, rules }, wanted, ended);
    countLivePage(outcome, reading.monotonicNow() - startMs);
    return outcome;
  };

  const askedPerMinute = () => asked.perWindow(reading.monotonicNow());
  const { enqueueComputation } = clients;
  const { waitMaxMs } = live;
  return {
    read,
    retryAfterSeconds,
    enqueueComputation,
    waitMaxMs,
    running: () => limiter.held,
    askedPerMinute,
  };
}
