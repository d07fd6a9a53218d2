import { monotonicNow } from '@inventory/runtime/clock';

/** Liveness of a consumer, derived from its events. */
export type ConsumerWatch = ReturnType<typeof createConsumerWatch>;

/**
 * In some failures the client stops without a crash event, in others the process stays up with a
 * dead consumer. So liveness is derived from fetches, heartbeats, joins and, while brokers are
 * unreachable or do not respond, connection attempts and requests that time out. An empty fetch takes
 * a fraction of a second and heartbeats are seconds apart: a consumer without either for two thirds
 * of a session is not working.
 */
export function createConsumerWatch(sessionTimeoutMs: number, now = monotonicNow) {
  const first = Promise.withResolvers<void>();
  let joined = false;
  let fetched = false;
  let started = false;
  let workedMs = now();
  let triedMs = workedMs;
  const worked = () => {
    workedMs = now();
  };
  return {
    /** Whether it has been a member of its group and has fetched, at any time. */
    hasStarted: (): boolean => started,
    /** Whether it is a member of its group with a recent fetch or heartbeat. */
    working: (): boolean => joined && fetched && now() - workedMs < (sessionTimeoutMs * 2) / 3,
    /** False when it has emitted no event for too long. */
    alive: (): boolean => now() - Math.max(workedMs, triedMs) < 3 * sessionTimeoutMs,
    /** Resolves after the first join and fetch. */
    started: (): Promise<void> => first.promise,
    /** What a client reports of a consumer. */
    saw: {
      heartbeat: worked,
      /** It is connecting, or a request has timed out: not working, but a restart would not help. */
      trying() {
        triedMs = now();
      },
      joined() {
        joined = true;
        worked();
      },
      fetched() {
        worked();
        if (!joined) return;
        fetched = true;
        started = true;
        first.resolve();
      },
      crashed() {
        joined = false;
        fetched = false;
      },
    },
  };
}
