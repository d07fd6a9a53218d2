import { withDeadline } from '@inventory/runtime/wait';
import type { EachBatchPayload } from 'kafkajs';
import type { BroadcastConsumer } from '../bus.ts';
import { deadLetters } from '../messaging-metrics.ts';
import { decode } from '../wire-record.ts';
import { watchConsumer } from './consumer-watch.ts';
import { consumerRetry } from './guards.ts';
import {
  type KafkaSubscription,
  logicalTopic,
  physicalTopics,
  toWireRecord,
  type WorkConsumerContext,
} from './work-consumer.ts';

const sessionTimeoutMs = 30_000;
const joinDeadlineMs = 60_000;
const stopDeadlineMs = 4_000;

/**
 * Reads whole topics from now on. Each process start makes a group of its own, so that no replica
 * waits for another's session, and commits nothing, so that an emptied group leaves nothing.
 */
export async function startBroadcastConsumer(
  context: WorkConsumerContext,
  broadcast: BroadcastConsumer,
  groupId: string,
): Promise<KafkaSubscription> {
  const consumer = context.kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: 3_000,
    rebalanceTimeout: 60_000,
    maxWaitTimeInMs: 50,
    minBytes: 1,
    allowAutoTopicCreation: false,
    retry: { ...consumerRetry, restartOnFailure: async () => true },
  });
  const watch = watchConsumer(consumer, 3 * sessionTimeoutMs, () => {});

  async function eachBatch({ batch }: EachBatchPayload): Promise<void> {
    const topic = logicalTopic(context, batch.topic);
    for (const message of batch.messages) {
      const position = { topic, partition: batch.partition, offset: message.offset };
      const decoded = decode(toWireRecord(message), position);
      if (!decoded.ok) {
        deadLetters.add(1, { 'messaging.destination.name': topic });
        context.logger.error({ ...position, ...decoded }, 'broadcast record ignored');
        continue;
      }
      try {
        broadcast.onMessage(decoded.message);
      } catch (error) {
        context.logger.error({ err: error, ...position }, 'broadcast record not handled');
      }
    }
  }

  await consumer.connect();
  await consumer.subscribe({
    topics: physicalTopics(context, broadcast.topics),
    fromBeginning: false,
  });
  await consumer.run({ autoCommit: false, eachBatchAutoResolve: true, eachBatch });
  await withDeadline(watch.started(), joinDeadlineMs, `joining ${groupId}`);
  return {
    watch,
    problems: () => [],
    async stop() {
      await withDeadline(consumer.disconnect(), stopDeadlineMs, 'leaving the group').catch(
        (error: unknown) => context.logger.warn({ err: error }, 'consumer did not stop in time'),
      );
    },
  };
}
