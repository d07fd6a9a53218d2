import type { AccountId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { FoundCredential } from '../tenancy/tenancy.domain.ts';
import { isNetworkAllowed, streamRefusal } from './stream-authorization.domain.ts';
import type { StreamSession } from './stream-session.ts';

export interface StreamPrincipalsParts {
  readonly findBySecretDigest: (secretDigest: string) => Promise<FoundCredential | null>;
  /** Judges expiry. */
  readonly clock: Clock;
  /** Counts intervals: no clock that is set postpones a check. */
  readonly monotonicNow: () => number;
  /**
   * Longest time between two checks of one Credential; each is due after half of it at the
   * earliest.
   */
  readonly everyMs: number;
  /** A secret is due before its time. */
  readonly onDue: () => void;
  readonly logger: Logger;
}

/** A secret with open streams. */
interface WatchedSecret {
  readonly accountId: AccountId;
  readonly digest: string;
  readonly streams: Set<StreamSession>;
  dueAtMs: number;
  isBeingRead: boolean;
  /** Time since which the store is unavailable; null when it is not. */
  unknownSinceMs: number | null;
}

const atOnce = Number.NEGATIVE_INFINITY;
/** Longer than a Principal is cached and a stream takes to open. */
const recentMs = 60_000;
/**
 * Number of intervals without a result after which the stream is closed; the client may reconnect.
 */
const unknownIntervalsMax = 2;

/** Ends streams whose Principal may no longer read them. */
export function watchStreamPrincipals(parts: StreamPrincipalsParts) {
  const { findBySecretDigest: find, clock, monotonicNow, everyMs, onDue, logger } = parts;
  const secrets = new Map<string, WatchedSecret>();
  const changedUntilMs = new Map<AccountId, number>();

  const nextDueMs = () => monotonicNow() + randomBetween(everyMs / 2, everyMs);
  const isDue = ({ dueAtMs }: WatchedSecret) => dueAtMs <= monotonicNow();

  /** One read of a secret at a time; what becomes due meanwhile is read again. */
  async function check(secret: WatchedSecret): Promise<void> {
    secret.isBeingRead = true;
    while (isDue(secret) && secret.streams.size > 0) await readOnce(secret);
    secret.isBeingRead = false;
  }

  async function readOnce(secret: WatchedSecret): Promise<void> {
    secret.dueAtMs = nextDueMs();
    try {
      judge(secret, await find(secret.digest));
      secret.unknownSinceMs = null;
    } catch (error) {
      const nowMs = monotonicNow();
      secret.unknownSinceMs ??= nowMs;
      logger.warn({ err: error, streams: secret.streams.size }, 'principal of streams not read');
      if (nowMs - secret.unknownSinceMs < unknownIntervalsMax * everyMs) return;
      for (const stream of [...secret.streams]) stream.close('unavailable');
    }
  }

  function judge({ digest, streams }: WatchedSecret, stored: FoundCredential | null): void {
    const refusal = streamRefusal(digest, stored, clock.now());
    for (const stream of [...streams]) {
      if (refusal) stream.revoke(refusal);
      else if (stored && !isNetworkAllowed(stored, stream.clientAddress)) {
        stream.revoke('network_policy');
      }
    }
  }

  return {
    /**
     * Checks every due secret, once for all of its streams; resolves when these checks have ended. A
     * secret whose read is slow delays no other one.
     */
    async checkDue(): Promise<void> {
      const nowMs = monotonicNow();
      for (const [accountId, untilMs] of changedUntilMs) {
        if (untilMs < nowMs) changedUntilMs.delete(accountId);
      }
      const due: WatchedSecret[] = [];
      for (const secret of secrets.values()) {
        if (!secret.isBeingRead && isDue(secret)) due.push(secret);
      }
      await Promise.all(due.map(check));
    },
    /** Makes the secrets of a changed account due. */
    scheduleChecks(changed: AccountId): void {
      changedUntilMs.set(changed, monotonicNow() + recentMs);
      for (const secret of secrets.values()) {
        if (secret.accountId === changed) secret.dueAtMs = atOnce;
      }
      onDue();
    },
    /**
     * Checks the stream until the returned function is called; at once where its account changed
     * recently: it may have been admitted by what was read before the change.
     */
    watch(stream: StreamSession): () => void {
      const { accountId, secretDigest: digest } = stream;
      const secret = secrets.get(digest) ?? {
        accountId,
        digest,
        streams: new Set(),
        isBeingRead: false,
        unknownSinceMs: null,
        dueAtMs: nextDueMs(),
      };
      secrets.set(digest, secret);
      secret.streams.add(stream);
      if ((changedUntilMs.get(accountId) ?? atOnce) >= monotonicNow()) {
        secret.dueAtMs = atOnce;
        onDue();
      }
      return () => {
        if (secret.streams.delete(stream) && secret.streams.size === 0) secrets.delete(digest);
      };
    },
  };
}
