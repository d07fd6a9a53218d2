import type { AccountId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { FoundCredential } from '../tenancy/tenancy.domain.ts';
import type { EventStreams } from './event-streams.ts';
import { isNetworkAllowed, streamRefusal } from './stream-authorization.domain.ts';
import type { StreamReader, StreamSession } from './stream-session.ts';

export interface StreamPrincipalsParts {
  readonly streams: Pick<EventStreams, 'bySecret' | 'secretsOf'>;
  readonly findBySecretDigest: (secretDigest: string) => Promise<FoundCredential | null>;
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
  /**
   * Checks every due secret, once for all of its streams; resolves when these checks have ended. A
   * secret whose read is slow delays no other one.
   */
  checkDue(): Promise<void>;
  /** Makes the secrets of a changed account due. */
  scheduleChecks(accountId: AccountId): void;
  /**
   * To be called with each stream once it is among `streams`. Its secret is due where its account
   * changed recently: it may have been admitted by what was read before the change. True when it is due.
   */
  opened(stream: StreamReader): boolean;
}

interface Known {
  dueAtMs: number;
  /** Time since which the store is unavailable; null when it is not. */
  unknownSinceMs: number | null;
}

const passEveryMs = 1_000;
/** Longer than a Principal is cached and a stream takes to open. */
const recentMs = 60_000;
/**
 * Number of intervals without a result after which the stream is closed; the client may reconnect.
 */
const unknownIntervalsMax = 2;

export function watchStreamPrincipals(parts: StreamPrincipalsParts): StreamPrincipals {
  const { streams, findBySecretDigest: find, clock, everyMs, logger } = parts;
  const known = new Map<string, Known>();
  /** Digests of the secrets to be checked next. */
  const due = new Set<string>();
  const looking = new Set<string>();
  const changedUntilMs = new Map<AccountId, number>();
  let nextPassMs = Number.NEGATIVE_INFINITY;

  const nextDueMs = () => clock.now() + randomBetween(everyMs / 2, everyMs);

  function knownOf(digest: string): Known {
    const one = known.get(digest) ?? { dueAtMs: nextDueMs(), unknownSinceMs: null };
    known.set(digest, one);
    return one;
  }

  /** Once a second, over secrets; a change in between reads those of its account only. */
  function pass(nowMs: number): void {
    if (nowMs < nextPassMs) return;
    nextPassMs = nowMs + passEveryMs;
    for (const [accountId, untilMs] of changedUntilMs) {
      if (untilMs < nowMs) changedUntilMs.delete(accountId);
    }
    for (const digest of known.keys()) if (!streams.bySecret.has(digest)) known.delete(digest);
    for (const digest of streams.bySecret.keys()) {
      if (knownOf(digest).dueAtMs <= nowMs) due.add(digest);
    }
  }

  /** One read of a secret at a time; what becomes due meanwhile is read again. */
  async function lookAt(digest: string): Promise<void> {
    looking.add(digest);
    while (due.delete(digest)) {
      const held = streams.bySecret.get(digest);
      if (held) await look(digest, [...held], knownOf(digest));
    }
    looking.delete(digest);
  }

  async function look(digest: string, held: readonly StreamSession[], one: Known): Promise<void> {
    one.dueAtMs = nextDueMs();
    try {
      judge(digest, held, await find(digest));
      one.unknownSinceMs = null;
    } catch (error) {
      one.unknownSinceMs ??= clock.now();
      logger.warn({ err: error, streams: held.length }, 'principal of streams not read');
      if (clock.now() - one.unknownSinceMs < unknownIntervalsMax * everyMs) return;
      for (const stream of held) stream.close('unavailable');
    }
  }

  function judge(
    digest: string,
    held: readonly StreamSession[],
    stored: FoundCredential | null,
  ): void {
    const refusal = streamRefusal(digest, stored, clock.now());
    for (const stream of held) {
      if (refusal) stream.revoke(refusal);
      else if (stored && !isNetworkAllowed(stored, stream.clientAddress)) {
        stream.revoke('network_policy');
      }
    }
  }

  return {
    async checkDue() {
      pass(clock.now());
      await Promise.all([...due].filter((digest) => !looking.has(digest)).map(lookAt));
    },
    scheduleChecks(accountId) {
      changedUntilMs.set(accountId, clock.now() + recentMs);
      for (const digest of streams.secretsOf(accountId)) due.add(digest);
    },
    opened({ accountId, secretDigest }) {
      const isRecent = (changedUntilMs.get(accountId) ?? 0) >= clock.now();
      if (isRecent) due.add(secretDigest);
      return isRecent;
    },
  };
}
