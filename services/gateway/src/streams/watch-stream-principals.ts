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
  /** Longest time between two looks at one Credential; each comes at half of it at the earliest. */
  readonly everyMs: number;
  readonly logger: Logger;
}

/** Ends streams whose holder may not read them any more. */
export interface StreamPrincipals {
  /** Looks at every secret that is due, once for all of its streams. */
  checkDue(): Promise<void>;
  /** Something of the account changed: all of its secrets are due. */
  scheduleChecks(accountId: AccountId): void;
}

interface Known {
  dueAtMs: number;
  /** Since when the store has not answered; null when it did. */
  unknownSinceMs: number | null;
}

const looksAtOnce = 16;
/** As many intervals without an answer: then the stream is closed, its reader may come back. */
const unknownIntervalsMax = 2;

export function watchStreamPrincipals(deps: StreamPrincipalsDeps): StreamPrincipals {
  const { streams, findBySecretDigest: find, clock, everyMs, logger } = deps;
  let known = new Map<string, Known>();

  const nextDueMs = () => clock.now() + randomBetween(everyMs / 2, everyMs);

  /** By secret; what no stream uses any more is forgotten. */
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
      logger.warn({ err: error, streams: held.length }, 'the principal of streams is not known');
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
