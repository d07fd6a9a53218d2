import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { withDeadline } from '@inventory/runtime/wait';
import type { Consumer, ConsumerRunConfig } from 'kafkajs';
import { type ConsumerWatch, createConsumerWatch } from '../consumer-watch.ts';
import { timingOf } from '../timing.ts';
import type { KafkaConnection, MemberOptions } from '../wire-client.ts';
import { createKafkaClient } from './client.ts';
import { explicitRetry, patientRetry } from './guards.ts';

const restartBackoff = { firstMs: 500, maxMs: 10_000 } as const;
/** Bounds the bytes of each partition in one fetch, so that no partition waits long for another. */
const bytesPerPartitionMax = 256 * 1024;

/**
 * A member of a consumer group that recovers from every error: the client restarts itself after
 * errors that it considers transient and stops after all others, many of which are transient too
 * (a lock that timed out while a broker was unreachable). Those are restarted here.
 */
export async function openConsumer(connection: KafkaConnection, options: MemberOptions) {
  const { groupId, topics, startOf } = options;
  const timing = timingOf(connection.timing);
  const { logger } = connection;
  const stopping = new AbortController();
  const watch = createConsumerWatch(timing.sessionTimeoutMs);
  // A client of its own: its connection attempts are the consumer's alone.
  const kafka = createKafkaClient(connection, {
    retry: patientRetry,
    onConnecting: watch.saw.trying,
    stopping: stopping.signal,
  });
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: timing.sessionTimeoutMs,
    heartbeatInterval: timing.heartbeatIntervalMs,
    rebalanceTimeout: 60_000,
    metadataMaxAge: 60_000,
    maxWaitTimeInMs: options.fetchWaitMs,
    minBytes: 1,
    maxBytesPerPartition: bytesPerPartitionMax,
    allowAutoTopicCreation: false,
    // Short, because of a group coordinator that is gone for good: a restart finds the new one.
    retry: { ...explicitRetry, restartOnFailure: async () => true },
  });
  report(consumer, watch);
  let restarts = 0;
  let restartTimer: NodeJS.Timeout | undefined;

  async function restart(config: ConsumerRunConfig): Promise<void> {
    if (stopping.signal.aborted) return;
    try {
      await consumer.connect();
      await consumer.run(config);
    } catch (error) {
      restartLater(config, error);
    }
  }

  function restartLater(config: ConsumerRunConfig, error: unknown): void {
    if (stopping.signal.aborted) return;
    restarts += 1;
    logger.error({ err: error, groupId, restarts }, 'consumer crashed, restarting');
    restartTimer = setTimeout(
      () => void restart(config),
      jitteredDelayMs(restartBackoff, restarts),
    );
  }

  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: startOf === undefined });
  } catch (error) {
    await consumer.disconnect();
    throw error;
  }
  return {
    consumer,
    watch,
    async run(config: ConsumerRunConfig): Promise<void> {
      consumer.on(consumer.events.GROUP_JOIN, () => {
        restarts = 0;
      });
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        if (!payload.restart) restartLater(config, payload.error);
      });
      await consumer.run(config);
    },
    /** Leaves the group, at the latest after its deadline. */
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(restartTimer);
      // A request that is being retried must not hold the process.
      await withDeadline(consumer.disconnect(), timing.leaveDeadlineMs, 'leaving the group').catch(
        (error: unknown) => logger.warn({ err: error, groupId }, 'consumer did not stop in time'),
      );
    },
  };
}

function report({ on, events }: Consumer, { saw }: ConsumerWatch): void {
  on(events.HEARTBEAT, saw.heartbeat);
  on(events.REQUEST_TIMEOUT, saw.trying);
  on(events.GROUP_JOIN, saw.joined);
  on(events.FETCH, saw.fetched);
  on(events.CRASH, saw.crashed);
}
