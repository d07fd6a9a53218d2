import { waitFor } from '@inventory/testkit/wait-for';
import { Kafka, logLevel } from 'kafkajs';

/** Makes the topic and appends one record that every replica acknowledged. */
export async function produceRecord(brokers: string, topic: string, value: string): Promise<void> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: false });
  const isThere = async () => (await admin.fetchTopicOffsets(topic)).length > 0;
  await waitFor(`${topic} is there`, isThere);
  await admin.disconnect();
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, acks: -1, messages: [{ value }] });
  await producer.disconnect();
}

/** The first record of a topic. */
export async function consumeRecord(brokers: string, topic: string): Promise<string> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `reader-of-${topic}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  try {
    return await new Promise((resolve, reject) => {
      consumer
        .run({
          eachMessage: async ({ message }) => resolve(message.value?.toString('utf8') ?? ''),
        })
        .catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
}

export async function topicNames(brokers: string): Promise<string[]> {
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
}
