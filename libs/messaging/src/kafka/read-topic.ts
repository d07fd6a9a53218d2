import { readerGroupPrefix, type ServiceName, type TopicName } from '@inventory/contracts/topics';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { ReceivedMessage } from '../bus.ts';
import { type Positions, startBroadcastConsumer } from './broadcast-consumer.ts';
import { createKafkajsWireClient } from './kafkajs/wire-client.ts';
import { timingOf } from './timing.ts';
import { physicalTopic } from './topic-names.ts';

export interface ReadTopicOptions extends KafkaAccess {
  /** A reader of the topic. */
  readonly service: ServiceName;
  readonly topic: TopicName;
  /** The services' own setting. */
  readonly topicPrefix: string;
  readonly logger: Logger;
}

const pollMs = 50;

/** All messages that a topic keeps, up to its present end, each partition in order. */
export async function readTopic(options: ReadTopicOptions): Promise<readonly ReceivedMessage[]> {
  const { service, topic: name, topicPrefix } = options;
  const run = systemIdentifiers.uuidV7();
  const wire = createKafkajsWireClient({ ...options, clientId: `${service}-read-${run}` });
  const topic = physicalTopic(topicPrefix, name);
  const bounds = await wire.read((cluster) => cluster.bounds(topic));
  const partOf = (partition: number) => `${topic}/${partition}`;
  const positions: Positions = new Map(
    bounds.map(({ partition, low }) => [partOf(partition), low]),
  );
  const isAtEnd = () =>
    bounds.every(
      ({ partition, high }) => BigInt(positions.get(partOf(partition)) ?? 0) >= BigInt(high),
    );
  const messages: ReceivedMessage[] = [];
  if (isAtEnd()) return messages;
  const consumer = await startBroadcastConsumer(
    { wire, topicPrefix },
    { name: 'read', topics: [name], onMessage: (message) => void messages.push(message) },
    `${topicPrefix}${readerGroupPrefix(service)}read-${run}`,
    positions,
  );
  const startMs = monotonicNow();
  const timeoutMs = 6 * timingOf(options.timing).requestTimeoutMs;
  try {
    while (!isAtEnd()) {
      if (elapsedSince(startMs) > timeoutMs) throw new Error(`${topic} is not read in time`);
      await pause(pollMs);
    }
    return messages;
  } finally {
    await consumer.stop();
    wire.stop();
  }
}
