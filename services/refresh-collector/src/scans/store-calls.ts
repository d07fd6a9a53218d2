import { Refused } from '@inventory/http/refused';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { ClaimedScan } from './scan-store.ts';
import type { RevisionStoreClient } from './staging-client.ts';

interface OfRevisionStoreDeps {
  readonly revisionStore: RevisionStoreClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

const stagingBackoff = { firstMs: 200, maxMs: 10_000 } as const;

/**
 * Retries until the scan's deadline while the revision-store is unavailable, or until the worker
 * leaves the scan. Throws where it refuses the page itself: it would do so every time.
 */
export async function ofRevisionStore<Answer>(
  deps: OfRevisionStoreDeps,
  claimed: ClaimedScan,
  { signal, ending }: { readonly signal: AbortSignal; readonly ending: AbortSignal },
  call: (store: RevisionStoreClient) => Promise<Answer>,
): Promise<Answer | undefined> {
  for (let failures = 1; !signal.aborted && !isOverdue(deps, claimed); failures += 1) {
    try {
      return await call(deps.revisionStore);
    } catch (error) {
      if (error instanceof Refused) throw error;
      deps.logger.warn({ err: error, failures }, 'page not staged');
      if (ending.aborted) return undefined;
      await pause(jitteredDelayMs(stagingBackoff, failures), ending);
    }
  }
  return undefined;
}

export function timeLeftMs({ clock }: OfRevisionStoreDeps, { refresh }: ClaimedScan): number {
  return Math.max(0, (refresh.collectDeadlineMs ?? 0) - clock.now());
}

export function isOverdue(deps: OfRevisionStoreDeps, claimed: ClaimedScan): boolean {
  return timeLeftMs(deps, claimed) === 0;
}
