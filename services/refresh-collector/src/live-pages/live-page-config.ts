import { livePageWaitMaxMs } from '@inventory/contracts/internal/live-page';
import { duration, integer, type Parsed } from '@inventory/runtime/settings';

export const livePageSettings = {
  LIVE_PAGE_TRIES_MAX: integer(1, 100).prefault('3').describe('Failed tries of one live page'),
  LIVE_PAGE_RETRY_MS: duration().prefault('1000').describe('Pause before a live page is retried'),
  LIVE_PAGE_DENIAL_MS: duration()
    .prefault('60000')
    .describe(
      'How long live pages of an inventory that was confirmed private or missing have that result without contacting the platform',
    ),
  LIVE_PAGES_MAX: integer(1, 100_000)
    .prefault('1000')
    .describe('Most live pages one replica reads or waits for at once'),
  LIVE_PAGES_PER_ACCOUNT_MAX: integer(1, 100_000)
    .prefault('100')
    .describe('Most live pages of one account at once, on one replica'),
} as const;

export type LivePageConfig = ReturnType<typeof livePageConfig>;

export function livePageConfig(parsed: Parsed<typeof livePageSettings>) {
  return {
    live: {
      triesMax: parsed.LIVE_PAGE_TRIES_MAX,
      retryMs: parsed.LIVE_PAGE_RETRY_MS,
      denialMs: parsed.LIVE_PAGE_DENIAL_MS,
      limits: { perKeyMax: parsed.LIVE_PAGES_PER_ACCOUNT_MAX, totalMax: parsed.LIVE_PAGES_MAX },
      /** Longest time that a caller may wait for one. */
      waitMaxMs: livePageWaitMaxMs,
    },
  };
}
