import { monotonicNow } from '@inventory/runtime/clock';
import type { Consumer } from 'kafkajs';

/** What the consumer itself gives away about whether it still works. */
export interface ConsumerWatch {
  readonly joined: boolean;
  readonly fetched: boolean;
  /** False when it stopped for good or has not fetched for too long. */
  alive(): boolean;
  /** Resolves after the first join and fetch: nothing published later can be missed. */
  started(): Promise<void>;
}

/**
 * The client stops without a crash event in some versions of failure, and stays up as a process
 * with a dead consumer in others. So liveness is judged by evidence: the time of the last fetch.
 */
export function watchConsumer(
  consumer: Consumer,
  silenceMaxMs: number,
  onReassigned: () => void,
): ConsumerWatch {
  const state = { joined: false, fetched: false, dead: false, lastSeenMs: monotonicNow() };
  const waiting: (() => void)[] = [];
  const seen = () => {
    state.lastSeenMs = monotonicNow();
  };
  consumer.on(consumer.events.GROUP_JOIN, () => {
    state.joined = true;
    seen();
    onReassigned();
  });
  consumer.on(consumer.events.REBALANCING, onReassigned);
  consumer.on(consumer.events.HEARTBEAT, seen);
  consumer.on(consumer.events.FETCH, () => {
    seen();
    if (!state.joined) return;
    state.fetched = true;
    for (const resolve of waiting.splice(0)) resolve();
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    state.joined = false;
    // With restart the client comes back by itself; a long absence shows as silence.
    if (!payload.restart) state.dead = true;
  });
  return {
    get joined() {
      return state.joined;
    },
    get fetched() {
      return state.fetched;
    },
    alive: () => !state.dead && monotonicNow() - state.lastSeenMs < silenceMaxMs,
    started: () =>
      state.fetched ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}
