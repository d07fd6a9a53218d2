import type { Clock } from '@inventory/runtime/clock';
import { DeadlineExceeded } from '@inventory/runtime/wait';
import type { CapturePageDeps } from './capture-page.ts';

type Staging = CapturePageDeps['staging'];

const restMs = 5_000;

/**
 * Staging that rests after it took too long: a store that hangs delays one page of a customer, and
 * not every page of everybody. What comes meanwhile is refused at once, so it is not captured.
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
