import { deadLetterTopic, type TopicName } from '@inventory/contracts/topics';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import {
  openNamespace,
  patientTiming,
  type TestNamespace,
  testLogger,
} from '@inventory/testkit/namespace';
import type { Admin, Kafka, Producer, TopicPartitionOffset } from 'kafkajs';
import type { MessageBus } from '../../src/bus.ts';
import { createKafkaBus } from '../../src/kafka/kafka-bus.ts';
import { createKafkaClient } from '../../src/kafka/kafkajs/client.ts';
import { fromKafkaMessage, toKafkaMessage } from '../../src/kafka/kafkajs/kafka-records.ts';
import type { WireRecord } from '../../src/wire-record.ts';
import type { BusWorld } from './bus-world.ts';

export interface KafkaWorld extends BusWorld {
  openBus(access?: Partial<KafkaAccess> & { instance?: string }): Promise<MessageBus>;
  readonly namespace: TestNamespace;
  /** A plain client, independent of the code under test. */
  readonly kafka: Kafka;
  readonly admin: Admin;
  physical(topic: string): string;
  /** Gives a group without members a position. */
  commit(group: string, position: TopicPartitionOffset): Promise<void>;
  /** All records of a topic. */
  read(topic: string): Promise<WireRecord[]>;
}

export async function openKafkaWorld(): Promise<KafkaWorld> {
  const namespace = await openNamespace();
  const { kafkaBrokers: brokers, topicPrefix } = namespace;
  const kafka = createKafkaClient({
    brokers,
    timing: patientTiming,
    clientId: 'test',
    logger: testLogger,
  });
  const admin = kafka.admin();
  const producer: Producer = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), producer.connect()]);
  const buses: MessageBus[] = [];
  const physical = (topic: string) => topicPrefix + topic;
  const read = (topic: string) => readTopic(kafka, admin, physical(topic));
  return {
    namespace,
    kafka,
    admin,
    physical,
    read,
    async openBus(access = {}) {
      const bus = await createKafkaBus({
        brokers,
        timing: patientTiming,
        ...access,
        topicPrefix,
        service: 'test',
        logger: testLogger,
        identifiers: systemIdentifiers,
      });
      buses.push(bus);
      return bus;
    },
    async commit(group, position) {
      // The admin client's own wait takes five seconds.
      const consumer = kafka.consumer({ groupId: physical(group), maxWaitTimeInMs: 100 });
      const joined = Promise.withResolvers<void>();
      consumer.on(consumer.events.GROUP_JOIN, () => joined.resolve());
      await consumer.connect();
      await consumer.subscribe({ topics: [position.topic] });
      await consumer.run({ autoCommit: false, eachMessage: async () => {} });
      await joined.promise;
      await consumer.commitOffsets([position]);
      await consumer.disconnect();
    },
    async put(topic: TopicName, record) {
      await producer.send({ topic: physical(topic), messages: [toKafkaMessage(record)] });
    },
    letters: (topic) => read(deadLetterTopic(topic)),
    async close() {
      await Promise.all(buses.map((bus) => bus.close()));
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}

/** Reads a topic from its beginning to its present end. */
async function readTopic(kafka: Kafka, admin: Admin, topic: string): Promise<WireRecord[]> {
  const ends = await admin.fetchTopicOffsets(topic);
  const missing = new Map(
    ends.filter(({ high, low }) => high !== low).map(({ partition, high }) => [partition, high]),
  );
  const records: WireRecord[] = [];
  if (missing.size === 0) return records;
  const consumer = kafka.consumer({
    groupId: `${topic}-${systemIdentifiers.uuidV7()}`,
    maxWaitTimeInMs: 50,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const complete = Promise.withResolvers<void>();
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ message, partition }) => {
      records.push(fromKafkaMessage(message));
      if (Number(message.offset) + 1 >= Number(missing.get(partition))) missing.delete(partition);
      if (missing.size === 0) complete.resolve();
    },
  });
  await complete.promise;
  await consumer.disconnect();
  return records;
}
