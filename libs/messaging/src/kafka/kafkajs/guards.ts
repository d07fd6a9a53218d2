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
import { type JoiningGroup, removePredecessors } from './remove-predecessors.ts';

/*
 * Workarounds for defects of the frozen client; each has a test or a measurement in this package.
 * docs/contributors/decisions has the reason for keeping the client.
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

/**
 * Idle connections of the client use CPU: each re-arms a timer every millisecond (3-4 % of a core,
 * and a negative-timeout warning on Node 24), and checks for timed-out requests ten times a second
 * (1.5 % with ten connections). Re-arming only while requests are pending keeps throttled and
 * in-flight-limited requests moving, and the next check is when the first request may time out.
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
        if (!this.isConnected()) return;
        let nextMs = this.requestTimeout;
        for (const request of this.inflight.values()) {
          const leftMs = request.sentAt + request.requestTimeout - systemClock.now();
          if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
          else request.timeoutRequest();
        }
        this.requestTimeoutIntervalId = setTimeout(check, nextMs).unref();
      };
      check();
    },
  }));
}

interface PartitionBatch {
  readonly rawMessages: readonly unknown[];
}

/** A client has one for each time that it restarted itself. */
interface Membership extends JoiningGroup {
  memberId: string | null;
}

interface ConsumerGroup {
  joinAndSync(this: Membership): Promise<void>;
  fetch(this: object, nodeId: number): Promise<readonly PartitionBatch[]>;
}

interface SeekOffsets {
  has(this: ReadonlyMap<string, string>, topic: string, partition: number): boolean;
}

/** For every partition of every response the client checks for a seek, by a key of JSON. */
export function guardSeeks(): void {
  const seeksModule: unknown = require('kafkajs/src/consumer/seekOffsets');
  const { prototype } = seeksModule as { readonly prototype: SeekOffsets };
  guardMethods('kafkajs', prototype, ({ has }) => ({
    has(topic, partition) {
      return this.size > 0 && has.call(this, topic, partition);
    },
  }));
}

/**
 * A member whose rejoin fails (its coordinator is still loading the group) continues to fetch under
 * its previous membership, or under none, which sends no heartbeat and cannot commit. Here a fetch
 * after a failed join fails until the next join succeeds. Before it joins as a new member it
 * removes those of an earlier process of its instance.
 *
 * A client that loses its only broker may restart itself, and would join as a new member: its group
 * would wait for the session of the one that it was. Here it is that one again; a coordinator that
 * has forgotten it says so, and the client joins anew.
 *
 * A response lists every partition that was requested, and the client computes lags of each one,
 * passes it to a worker and checks the heartbeat. Those without records are left out here; a
 * response without any has its heartbeat all the same.
 */
export function guardJoins(): void {
  const groupModule: unknown = require('kafkajs/src/consumer/consumerGroup');
  const { prototype } = groupModule as { readonly prototype: ConsumerGroup };
  const notJoined = new WeakSet<object>();
  const memberships = new WeakMap<object, Membership>();
  guardMethods('kafkajs', prototype, ({ joinAndSync, fetch }) => ({
    async joinAndSync() {
      try {
        this.memberId ??= memberships.get(this.cluster)?.memberId ?? null;
        memberships.set(this.cluster, this);
        if (this.memberId === null) await removePredecessors(this);
        await joinAndSync.call(this);
        notJoined.delete(this);
      } catch (error) {
        notJoined.add(this);
        throw error;
      }
    },
    async fetch(nodeId) {
      if (notJoined.has(this)) throw new KafkaJSProtocolError(joinNeeded);
      const batches = await fetch.call(this, nodeId);
      return batches.filter(({ rawMessages }) => rawMessages.length > 0);
    },
  }));
}

/** The client rejoins on this error. */
const joinNeeded = Object.assign(new Error('the last join of the group failed'), {
  type: 'REBALANCE_IN_PROGRESS',
  code: 27,
  retriable: true,
});

/**
 * The client leaves Nagle's algorithm on: small pipelined writes waited up to 5 ms each. Every
 * connection attempt is reported: a client whose brokers are all unreachable emits nothing else.
 * Over TLS the server name is sent: proxies in front of several brokers route by it.
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
 * Every field is set: the client's defaults differ when NODE_ENV is test. About 13 s in all, with at
 * most 2 s between two attempts.
 */
export const explicitRetry = {
  initialRetryTime: 100,
  factor: 0.2,
  multiplier: 2,
  maxRetryTime: 2_000,
  retries: 10,
} as const satisfies RetryOptions;

/**
 * A consumer searches for a reachable broker for hours. A restarted one would join as a new member,
 * and the group would wait for the session of the old one to expire.
 */
export const patientRetry = { ...explicitRetry, retries: 10_000 } as const satisfies RetryOptions;

/** Maps the client's log lines; its errors are retried and so are warnings here. */
export function clientLogs(logger: Logger) {
  return () =>
    ({ level, log }: LogEntry): void => {
      const { message, timestamp: _timestamp, stack: _stack, ...fields } = log;
      if (level === logLevel.ERROR || level === logLevel.WARN) logger.warn(fields, message);
      else logger.debug(fields, message);
    };
}
