import type { Clock } from '@inventory/runtime/clock';
import { DeadlineExceeded } from '@inventory/runtime/wait';
import type { CapturePageDeps } from './capture-page.ts';

type Staging = CapturePageDeps['staging'];

const restMs = 5_000;

/**
 * A circuit breaker around staging: a store that does not respond delays one page, not every page.
 * While it is open, pages are refused at once and not captured.
 */
export function openStagingBreaker(staging: Staging, clock: Clock): Staging {
  let restsUntilMs = 0;
  return {
    async stagePage(chainId, page, members) {
      if (clock.now() < restsUntilMs)
        throw new StagingBreakerOpen('the revision-store was too slow');
      try {
        return await staging.stagePage(chainId, page, members);
      } catch (error) {
        if (error instanceof DeadlineExceeded) restsUntilMs = clock.now() + restMs;
        throw error;
      }
    },
  };
}

class StagingBreakerOpen extends Error {
  override name = 'StagingBreakerOpen';
}
