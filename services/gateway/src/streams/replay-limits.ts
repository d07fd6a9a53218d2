import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { createSemaphore } from '@inventory/runtime/semaphore';
import { pause } from '@inventory/runtime/wait';
import type { SessionDeps } from './stream-session.ts';

const replaysAtOnce = 32;
const replayBackoff = { firstMs: 200, maxMs: 5_000 } as const;
/** About 30 s of attempts. */
const replayFailuresMax = 10;

/** Bounds the sessions' reads of the log, all together and after failures. */
export function createReplayLimits(
  stopping: AbortSignal,
): Pick<SessionDeps, 'replays' | 'pauseAfterFailure'> {
  return {
    replays: createSemaphore(replaysAtOnce),
    async pauseAfterFailure(failures) {
      if (failures >= replayFailuresMax || stopping.aborted) return false;
      await pause(jitteredDelayMs(replayBackoff, failures), stopping);
      return true;
    },
  };
}
