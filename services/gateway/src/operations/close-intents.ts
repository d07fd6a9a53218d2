import type { RequestId } from '@inventory/contracts/ids';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { PageIntent } from '../domain/page-intent.ts';
import { intentClosed, pageGivenAway } from '../metrics.ts';

export interface CloseIntentsDeps {
  readonly intents: {
    remove(requestId: RequestId): Promise<void>;
    expedite(requestId: RequestId, nowMs: number): Promise<void>;
  };
  /** Wakes the loop that reverses. */
  readonly wakeReversals: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Ends intents behind the request's back: no client waits for it. */
export interface IntentCloser {
  /** Nothing is to be undone: the page is delivered, or nothing was charged. */
  close(intent: PageIntent): void;
  /** The page will not be delivered: whatever was charged is undone at once. */
  undo(intent: PageIntent): void;
  /** Resolves when all of this is done or given up. */
  idle(): Promise<void>;
}

const removalTries = 6;
const removalBackoff = { firstMs: 200, maxMs: 4_000 } as const;

export function createIntentCloser(deps: CloseIntentsDeps): IntentCloser {
  const { intents, logger } = deps;
  const running = new Set<Promise<void>>();

  function inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  /** Where it fails for good the intent outlives its page, which is then given away. */
  async function remove({ requestId }: PageIntent): Promise<void> {
    for (let failures = 1; failures <= removalTries; failures += 1) {
      try {
        await intents.remove(requestId);
        return intentClosed();
      } catch (error) {
        logger.warn({ err: error, request_id: requestId, failures }, 'intent not deleted');
        await pause(jitteredDelayMs(removalBackoff, failures));
      }
    }
    pageGivenAway();
  }

  /** Where it fails the reversal happens all the same, after the intent's deadline. */
  async function reverseNow({ requestId }: PageIntent): Promise<void> {
    intentClosed();
    try {
      await intents.expedite(requestId, deps.clock.now());
      deps.wakeReversals();
    } catch (error) {
      logger.warn({ err: error, request_id: requestId }, 'reversal waits for its deadline');
    }
  }

  return {
    close: (intent) => inBackground(remove(intent)),
    undo: (intent) => inBackground(reverseNow(intent)),
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
