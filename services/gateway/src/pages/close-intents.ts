import type { RequestId } from '@inventory/contracts/ids';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { givenAway, openIntents } from '../metrics.ts';
import type { PageIntent } from './page-intent.domain.ts';
import type { ReadKeyStore } from './read-key-store.ts';

const removalTries = 6;
const removalBackoff = { firstMs: 200, maxMs: 4_000 } as const;

export type IntentCloser = ReturnType<typeof createIntentCloser>;

/** Closes intents in the background: no client waits for it. */
export function createIntentCloser(deps: {
  readonly intents: {
    deleteIntent(requestId: RequestId): Promise<void>;
    expediteReversal(requestId: RequestId, nowMs: number): Promise<void>;
  };
  readonly keys: ReadKeyStore;
  /** Wakes the job of reversals. */
  readonly wakeReversals: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}) {
  const { intents, keys, logger } = deps;
  const running = new Set<Promise<void>>();

  function inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  /**
   * The key first: a crash in between leaves the intent, whose reversal releases the key. After a
   * final failure the charge of the delivered page is reversed.
   */
  async function remove(
    { requestId, keyId }: PageIntent,
    settleKey: (keyId: string, requestId: RequestId) => Promise<void>,
  ): Promise<void> {
    for (let failures = 1; failures <= removalTries; failures += 1) {
      try {
        if (keyId !== null) await settleKey(keyId, requestId);
        await intents.deleteIntent(requestId);
        return openIntents.add(-1);
      } catch (error) {
        logger.warn({ err: error, requestId, failures }, 'intent not deleted');
        await pause(jitteredDelayMs(removalBackoff, failures));
      }
    }
    openIntents.add(-1);
    givenAway.add(1);
  }

  /** After a failure the reversal runs past the deadline of the intent. */
  async function reverseNow({ requestId }: PageIntent): Promise<void> {
    openIntents.add(-1);
    try {
      await intents.expediteReversal(requestId, deps.clock.now());
      deps.wakeReversals();
    } catch (error) {
      logger.warn({ err: error, requestId }, 'reversal not expedited; it runs after the deadline');
    }
  }

  return {
    /** The page is delivered: its charge is final. */
    recordDelivery: (intent: PageIntent) => inBackground(remove(intent, keys.markPaid)),
    /** Nothing was charged and nothing will be. */
    closeUncharged: (intent: PageIntent) => inBackground(remove(intent, keys.releaseKey)),
    /** The page will not be delivered: its charge is reversed at once. */
    reverseCharge: (intent: PageIntent) => inBackground(reverseNow(intent)),
    /** Resolves when all of it has succeeded or failed for good. */
    async waitUntilIdle(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
