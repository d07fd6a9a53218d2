import { withDeadline } from '@inventory/runtime/wait';
import type { EachBatchPayload } from 'kafkajs';
import type { BroadcastConsumer } from '../bus.ts';
import { deadLetters } from '../messaging-metrics.ts';
import { decode, type Position, type WireRecord } from '../wire-record.ts';
import { createKafkaClient, type KafkaConnection } from './client.ts';
import { logicalTopic, physicalTopic, toWireRecord } from './kafka-records.ts';
import { readAsAdmin } from './read-as-admin.ts';
import { openConsumer } from './running-consumer.ts';
import { timingOf } from './timing.ts';
import { untilSettled } from './topic-admin.ts';
import type { ConsumerContext, KafkaSubscription } from './work-consumer.ts';

/**
 * Reads whole topics from the present end. Each process start has a group of its own, so that no
 * replica waits for another's session, and commits nothing, so that an empty group leaves no state.
 * Positions are kept in memory and set after every join: the client itself would restart at the end
 * and skip messages published meanwhile.
 */
export async function startBroadcastConsumer(
  context: ConsumerContext,
  broadcast: BroadcastConsumer,
  groupId: string,
): Promise<KafkaSubscription> {
  const { connection, topicPrefix } = context;
  const { logger } = connection;
  const { requestTimeoutMs } = timingOf(connection);
  const topics = broadcast.topics.map((topic) => physicalTopic(topicPrefix, topic));
  const positions = await currentEnds(connection, topics);
  const running = await openConsumer({
    connection,
    groupId,
    fetchWaitMs: 500,
    fetchBytesMin: 1,
    subscription: { topics, fromBeginning: false },
  });
  const { consumer, watch } = running;
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    for (const [topic, partitions] of Object.entries(payload.memberAssignment)) {
      for (const partition of partitions) {
        // A partition that was added since the start is read from its beginning.
        const offset = positions.get(`${topic}/${partition}`) ?? '0';
        consumer.seek({ topic, partition, offset });
      }
    }
  });

  function receive(record: WireRecord, position: Position): void {
    const decoded = decode(record, position);
    if (decoded.result === 'undecodable') {
      deadLetters.add(1, { 'messaging.destination.name': position.topic, reason: decoded.reason });
      logger.error({ ...position, ...decoded }, 'broadcast record ignored');
      return;
    }
    try {
      broadcast.onMessage(decoded.message);
    } catch (error) {
      logger.error({ err: error, ...position }, 'broadcast record not handled');
    }
  }

  async function eachBatch({ batch }: EachBatchPayload): Promise<void> {
    const topic = logicalTopic(topicPrefix, batch.topic);
    for (const message of batch.messages) {
      const position = { topic, partition: batch.partition, offset: message.offset };
      const record = toWireRecord(message);
      if (broadcast.wants?.({ topic, key: record.key }) !== false) receive(record, position);
    }
    // Nothing runs in between: the records of a batch are received in one turn.
    const last = batch.messages.at(-1);
    if (last === undefined) return;
    const next = (BigInt(last.offset) + 1n).toString();
    positions.set(`${batch.topic}/${batch.partition}`, next);
  }

  await running.run({ autoCommit: false, eachBatchAutoResolve: true, eachBatch });
  try {
    await withDeadline(watch.started(), 6 * requestTimeoutMs, `joining ${groupId}`);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return { watch, problems: () => [], stop: running.stop };
}

/** The end offset of each partition. */
function currentEnds(
  connection: KafkaConnection,
  topics: readonly string[],
): Promise<Map<string, string>> {
  return readAsAdmin(createKafkaClient(connection), async (admin) => {
    const ends = new Map<string, string>();
    for (const topic of topics) {
      for (const { partition, offset } of await untilSettled(() =>
        admin.fetchTopicOffsets(topic),
      )) {
        ends.set(`${topic}/${partition}`, offset);
      }
    }
    return ends;
  });
}
