import type { AccountId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { EventStream, EventStreams } from './event-streams.ts';
import {
  isNetworkAllowed,
  type StoredPrincipal,
  streamRefusal,
} from './stream-authorization.domain.ts';

export interface StreamPrincipalsDeps {
  readonly streams: Pick<EventStreams, 'all' | 'revoke' | 'close'>;
  readonly findBySecretDigest: (secretDigest: string) => Promise<StoredPrincipal | null>;
  readonly clock: Clock;
  /**
   * Longest time between two checks of one Credential; each is due after half of it at the
   * earliest.
   */
  readonly everyMs: number;
  readonly logger: Logger;
}

/** Ends streams whose Principal may no longer read them. */
export interface StreamPrincipals {
  /** Checks every due secret, once for all of its streams. */
  checkDue(): Promise<void>;
  /** Makes all secrets of a changed account due. */
  scheduleChecks(accountId: AccountId): void;
}

interface Known {
  dueAtMs: number;
  /** Time since which the store is unavailable; null when it is not. */
  unknownSinceMs: number | null;
}

const looksAtOnce = 16;
/**
 * Number of intervals without a result after which the stream is closed; the client may reconnect.
 */
const unknownIntervalsMax = 2;

export function watchStreamPrincipals(deps: StreamPrincipalsDeps): StreamPrincipals {
  const { streams, findBySecretDigest: find, clock, everyMs, logger } = deps;
  let known = new Map<string, Known>();

  const nextDueMs = () => clock.now() + randomBetween(everyMs / 2, everyMs);

  /** By secret digest; secrets without a stream are deleted. */
  function grouped(): Map<string, EventStream[]> {
    const groups = Map.groupBy(streams.all, ({ secretDigest }) => secretDigest);
    known = new Map(
      [...groups.keys()].map((digest) => [
        digest,
        known.get(digest) ?? { dueAtMs: nextDueMs(), unknownSinceMs: null },
      ]),
    );
    return groups;
  }

  async function look(digest: string, held: readonly EventStream[], one: Known): Promise<void> {
    one.dueAtMs = nextDueMs();
    try {
      judge(digest, held, await find(digest));
      one.unknownSinceMs = null;
    } catch (error) {
      one.unknownSinceMs ??= clock.now();
      logger.warn({ err: error, streams: held.length }, 'principal of streams not read');
      if (clock.now() - one.unknownSinceMs < unknownIntervalsMax * everyMs) return;
      for (const stream of held) streams.close(stream, 'unavailable');
    }
  }

  function judge(
    digest: string,
    held: readonly EventStream[],
    stored: StoredPrincipal | null,
  ): void {
    const refusal = streamRefusal(digest, stored, clock.now());
    for (const stream of held) {
      if (refusal) streams.revoke(stream, refusal);
      else if (stored && !isNetworkAllowed(stored, stream.clientAddress)) {
        streams.revoke(stream, 'network_policy');
      }
    }
  }

  return {
    async checkDue() {
      const nowMs = clock.now();
      const due = [...grouped()].flatMap(([digest, held]) => {
        const one = known.get(digest);
        return one && one.dueAtMs <= nowMs ? [{ digest, held, one }] : [];
      });
      await forEachLimited(due, looksAtOnce, ({ digest, held, one }) => look(digest, held, one));
    },
    scheduleChecks(accountId) {
      for (const [digest, held] of grouped()) {
        const one = known.get(digest);
        if (one && held.some((stream) => stream.accountId === accountId)) one.dueAtMs = 0;
      }
    },
  };
}
