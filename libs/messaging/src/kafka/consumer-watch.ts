import { monotonicNow } from '@inventory/runtime/clock';
import type { Consumer } from 'kafkajs';

/** What the consumer itself gives away about whether it still works. */
export interface ConsumerWatch {
  /** A member of its group that fetches. */
  readonly working: boolean;
  /** False when it has neither fetched nor heartbeat for too long. */
  alive(): boolean;
  /** Resolves after the first join and fetch. */
  started(): Promise<void>;
}

/**
 * The client stops without a crash event in some kinds of failure, and stays up as a process with
 * a dead consumer in others. So liveness is judged by evidence: the time of the last fetch.
 */
export function watchConsumer(consumer: Consumer, silenceMaxMs: number): ConsumerWatch {
  const first = Promise.withResolvers<void>();
  let joined = false;
  let fetched = false;
  let lastSeenMs = monotonicNow();
  const seen = () => {
    lastSeenMs = monotonicNow();
  };
  consumer.on(consumer.events.GROUP_JOIN, () => {
    joined = true;
    seen();
  });
  consumer.on(consumer.events.HEARTBEAT, seen);
  consumer.on(consumer.events.FETCH, () => {
    seen();
    if (!joined) return;
    fetched = true;
    first.resolve();
  });
  consumer.on(consumer.events.CRASH, () => {
    joined = false;
    fetched = false;
  });
  return {
    get working() {
      return joined && fetched;
    },
    alive: () => monotonicNow() - lastSeenMs < silenceMaxMs,
    started: () => first.promise,
  };
}
