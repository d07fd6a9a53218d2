import { deadLetterTopic, type TopicName } from '@inventory/contracts/topics';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openNamespace, type TestNamespace, testLogger } from '@inventory/testkit/namespace';
import type { Admin, Kafka, Producer } from 'kafkajs';
import type { MessageBus } from '../../src/bus.ts';
import { createKafkaClient } from '../../src/kafka/client.ts';
import { createKafkaBus } from '../../src/kafka/kafka-bus.ts';
import { toKafkaMessage, toWireRecord } from '../../src/kafka/kafka-records.ts';
import type { WireRecord } from '../../src/wire-record.ts';
import type { BusWorld } from './bus-world.ts';

export interface KafkaWorld extends BusWorld {
  /** By default at the brokers themselves. */
  openBus(at?: readonly string[]): Promise<MessageBus>;
  readonly namespace: TestNamespace;
  /** A plain client, past everything that is tested. */
  readonly kafka: Kafka;
  readonly admin: Admin;
  physical(topic: string): string;
  /** Everything in a topic. */
  read(topic: string): Promise<WireRecord[]>;
}

export async function openKafkaWorld(): Promise<KafkaWorld> {
  const namespace = await openNamespace();
  const { kafkaBrokers: brokers, topicPrefix } = namespace;
  const kafka = createKafkaClient({ brokers, clientId: 'test', logger: testLogger });
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
    async openBus(at = brokers) {
      const bus = await createKafkaBus({
        brokers: at,
        topicPrefix,
        service: 'test',
        logger: testLogger,
        identifiers: systemIdentifiers,
      });
      buses.push(bus);
      return bus;
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

/** Reads a topic from its beginning to the end that it has now. */
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
      records.push(toWireRecord(message));
      if (Number(message.offset) + 1 >= Number(missing.get(partition))) missing.delete(partition);
      if (missing.size === 0) complete.resolve();
    },
  });
  await complete.promise;
  await consumer.disconnect();
  return records;
}
