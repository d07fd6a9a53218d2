import net from 'node:net';
import tls from 'node:tls';
import { systemClock } from '@inventory/runtime/clock';
import { guardMethods } from '@inventory/runtime/guard-methods';
import type { Logger } from '@inventory/runtime/logger';
import { serverNameOf } from '@inventory/runtime/tls-identity';
import {
  type ISocketFactory,
  KafkaJSProtocolError,
  type LogEntry,
  logLevel,
  type RetryOptions,
} from 'kafkajs';

/*
 * Work-arounds for what the frozen client does by itself; each has a test or a measurement in
 * this package. docs/decisions names the reason for keeping the client all the same.
 */

interface InFlightRequest {
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

interface QueueState {
  readonly pending: readonly unknown[];
  readonly inflight: ReadonlyMap<unknown, InFlightRequest>;
  readonly enforceRequestTimeout: boolean;
  readonly requestTimeout: number;
  requestTimeoutIntervalId: NodeJS.Timeout | null;
  isConnected(): boolean;
  destroy(): void;
}

interface RequestQueue {
  scheduleCheckPendingRequests(this: QueueState): void;
  scheduleRequestTimeoutCheck(this: QueueState): void;
}

/** Requests time out after many seconds; one more is nothing to them. */
const timeoutCheckMs = 1_000;

/**
 * With nothing to send the client keeps a process busy, per connection: it re-arms a timer for
 * ever, every millisecond (3-4 % of a core, and a negative-timeout warning on Node 24), and looks
 * ten times a second for requests that have timed out (1.5 % with ten connections). Re-arming only
 * while something waits keeps throttled and in-flight-limited requests going.
 */
export function guardIdleTimers(): void {
  const queueModule: unknown = require('kafkajs/src/network/requestQueue');
  const { prototype } = queueModule as { readonly prototype: RequestQueue };
  guardMethods('kafkajs', prototype, ({ scheduleCheckPendingRequests: schedule }) => ({
    scheduleCheckPendingRequests() {
      if (this.pending.length > 0) schedule.call(this);
    },
    scheduleRequestTimeoutCheck() {
      if (!this.enforceRequestTimeout) return;
      this.destroy();
      const check = () => {
        for (const request of this.inflight.values()) {
          const waitedMs = systemClock.now() - request.sentAt;
          if (waitedMs > request.requestTimeout) request.timeoutRequest();
        }
        if (!this.isConnected()) this.destroy();
      };
      const everyMs = Math.min(this.requestTimeout, timeoutCheckMs);
      this.requestTimeoutIntervalId = setInterval(check, everyMs).unref();
    },
  }));
}

interface ConsumerGroup {
  joinAndSync(this: object): Promise<void>;
  fetch(this: object, nodeId: number): Promise<unknown>;
}

/**
 * A member that has to join again and fails (its coordinator is still loading the group) fetches on
 * by the membership it had: one that it was about to give up, or none at all, which shows no
 * heartbeat and can commit nothing. Here nothing is fetched after a failed join but by the next one.
 */
export function guardFailedJoins(): void {
  const groupModule: unknown = require('kafkajs/src/consumer/consumerGroup');
  const { prototype } = groupModule as { readonly prototype: ConsumerGroup };
  const outside = new WeakSet<object>();
  guardMethods('kafkajs', prototype, ({ joinAndSync, fetch }) => ({
    async joinAndSync() {
      try {
        await joinAndSync.call(this);
        outside.delete(this);
      } catch (error) {
        outside.add(this);
        throw error;
      }
    },
    async fetch(nodeId) {
      if (outside.has(this)) throw new KafkaJSProtocolError(joinNeeded);
      return await fetch.call(this, nodeId);
    },
  }));
}

/** What the client takes for the order to join. */
const joinNeeded = Object.assign(new Error('the last try to join the group failed'), {
  type: 'REBALANCE_IN_PROGRESS',
  code: 27,
  retriable: true,
});

/**
 * The client leaves Nagle on: small pipelined writes waited up to 5 ms each. Every attempt to
 * connect is told, which is the one sign of life of a client whose brokers are all away. Over TLS
 * the broker is named first: proxies that stand for several brokers choose by it.
 */
export function lowLatencySockets(onConnecting: () => void = () => {}): ISocketFactory {
  return ({ host, port, ssl, onConnect }) => {
    onConnecting();
    const socket = ssl
      ? tls.connect({ host, port, ...serverNameOf(host), ...ssl }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    return socket;
  };
}

/**
 * Every field set: the client's defaults differ when NODE_ENV is test. About 13 s in all, and
 * never more than 2 s behind a broker that is back.
 */
export const explicitRetry = {
  initialRetryTime: 100,
  factor: 0.2,
  multiplier: 2,
  maxRetryTime: 2_000,
  retries: 10,
} as const satisfies RetryOptions;

/**
 * How long a consumer looks for a broker that answers: for hours. Given up earlier it would come
 * back as a new member, and the group would wait out the session of the old one.
 */
export const patientRetry = { ...explicitRetry, retries: 10_000 } as const satisfies RetryOptions;

/** The client's own log lines, as ours; its errors are retried and so are warnings here. */
export function clientLogs(logger: Logger) {
  return () =>
    ({ level, log }: LogEntry): void => {
      const { message, timestamp: _timestamp, stack: _stack, ...fields } = log;
      if (level === logLevel.ERROR || level === logLevel.WARN) logger.warn(fields, message);
      else logger.debug(fields, message);
    };
}
