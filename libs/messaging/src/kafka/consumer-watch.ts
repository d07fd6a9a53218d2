import { monotonicNow } from '@inventory/runtime/clock';
import type { Consumer } from 'kafkajs';

/** What the consumer itself gives away about whether it still works. */
export interface ConsumerWatch {
  /** A member of its group that fetched or showed itself there a moment ago. */
  working(): boolean;
  /** False when nothing at all was heard of it for too long. */
  alive(): boolean;
  /** Resolves after the first join and fetch. */
  started(): Promise<void>;
  /** Takes the evidence from its events. */
  attach(consumer: Pick<Consumer, 'on' | 'events'>): void;
  /** It tries to reach a broker: it does not work, but another process would not either. */
  connecting(): void;
}

/**
 * The client stops without a crash event in some kinds of failure, and stays up as a process with
 * a dead consumer in others. So it is judged by evidence: fetches, heartbeats, joins, and, while
 * brokers are away, its attempts to connect. A fetch that finds nothing takes a fraction of a
 * second and a heartbeat comes every few: two thirds of a session without either is not working.
 */
export function createConsumerWatch(sessionTimeoutMs: number, now = monotonicNow): ConsumerWatch {
  const first = Promise.withResolvers<void>();
  let joined = false;
  let fetched = false;
  let workedMs = now();
  let stirredMs = workedMs;
  const worked = () => {
    workedMs = now();
  };
  return {
    working: () => joined && fetched && now() - workedMs < (sessionTimeoutMs * 2) / 3,
    alive: () => now() - Math.max(workedMs, stirredMs) < 3 * sessionTimeoutMs,
    started: () => first.promise,
    attach(consumer) {
      consumer.on(consumer.events.HEARTBEAT, worked);
      consumer.on(consumer.events.GROUP_JOIN, () => {
        joined = true;
        worked();
      });
      consumer.on(consumer.events.FETCH, () => {
        worked();
        if (!joined) return;
        fetched = true;
        first.resolve();
      });
      consumer.on(consumer.events.CRASH, () => {
        joined = false;
        fetched = false;
      });
    },
    connecting() {
      stirredMs = now();
    },
  };
}
