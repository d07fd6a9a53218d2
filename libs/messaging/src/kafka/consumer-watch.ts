import { monotonicNow } from '@inventory/runtime/clock';
import type { Consumer } from 'kafkajs';

/** Liveness of a consumer, derived from its events. */
export interface ConsumerWatch {
  /** Whether it has been a member of its group and has fetched, at any time. */
  hasStarted(): boolean;
  /** Whether it is a member of its group with a recent fetch or heartbeat. */
  working(): boolean;
  /** False when it has emitted no event for too long. */
  alive(): boolean;
  /** Resolves after the first join and fetch. */
  started(): Promise<void>;
  /** Subscribes to the consumer's events. */
  attach(consumer: Pick<Consumer, 'on' | 'events'>): void;
  /** It is connecting to a broker: not working, but a restart would not help. */
  connecting(): void;
}

/**
 * In some failures the client stops without a crash event, in others the process stays up with a
 * dead consumer. So liveness is derived from fetches, heartbeats, joins and, while brokers are
 * unreachable or do not answer, connection attempts and requests that time out. An empty fetch takes
 * a fraction of a second and heartbeats are seconds apart: a consumer without either for two thirds
 * of a session is not working.
 */
export function createConsumerWatch(sessionTimeoutMs: number, now = monotonicNow): ConsumerWatch {
  const first = Promise.withResolvers<void>();
  let joined = false;
  let fetched = false;
  let started = false;
  let workedMs = now();
  let triedMs = workedMs;
  const worked = () => {
    workedMs = now();
  };
  const tried = () => {
    triedMs = now();
  };
  return {
    hasStarted: () => started,
    working: () => joined && fetched && now() - workedMs < (sessionTimeoutMs * 2) / 3,
    alive: () => now() - Math.max(workedMs, triedMs) < 3 * sessionTimeoutMs,
    started: () => first.promise,
    attach(consumer) {
      consumer.on(consumer.events.HEARTBEAT, worked);
      consumer.on(consumer.events.REQUEST_TIMEOUT, tried);
      consumer.on(consumer.events.GROUP_JOIN, () => {
        joined = true;
        worked();
      });
      consumer.on(consumer.events.FETCH, () => {
        worked();
        if (!joined) return;
        fetched = true;
        started = true;
        first.resolve();
      });
      consumer.on(consumer.events.CRASH, () => {
        joined = false;
        fetched = false;
      });
    },
    connecting: tried,
  };
}
