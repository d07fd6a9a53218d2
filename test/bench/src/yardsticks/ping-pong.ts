import { randomUUID } from 'node:crypto';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { openDurableWrites } from './durable-writes.ts';

/** A caller that sends a record into a chain of echoes and waits for it to come back. */
export interface PingPong {
  ping(): Promise<void>;
  stop(): Promise<void>;
}

const payload = Buffer.alloc(400, 'x');

export async function openPingPong(
  brokers: string,
  firstTopic: string,
  lastTopic: string,
  mongodbUri = '',
): Promise<PingPong> {
  const { write, close } = await openDurableWrites(mongodbUri);
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  const waiting = new Map<string, () => void>();
  const consumer = kafka.consumer({ groupId: `caller-${randomUUID()}` });
  await consumer.connect();
  await consumer.subscribe({ topics: [lastTopic], fromBeginning: true });
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.run({
    eachMessage: async ({ message }) => waiting.get(message.key?.toString() ?? '')?.(),
  });
  await joined;
  return {
    async ping() {
      const key = randomUUID();
      const back = new Promise<void>((resolve) => waiting.set(key, resolve));
      await write();
      await producer.send({ topic: firstTopic, acks: -1, messages: [{ key, value: payload }] });
      await back;
      waiting.delete(key);
    },
    async stop() {
      await Promise.all([producer.disconnect(), consumer.disconnect(), close()]);
    },
  };
}

/** Makes the topics of a yardstick, one partition each. */
export async function makeTopics(brokers: string, topics: readonly string[]): Promise<void> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({
    waitForLeaders: false,
    topics: topics.map((topic) => ({ topic, numPartitions: 1 })),
  });
  await admin.disconnect();
}
