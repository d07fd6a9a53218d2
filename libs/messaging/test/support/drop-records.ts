import type { TopicName } from '@inventory/contracts/topics';
import { Kafka, logLevel } from 'kafkajs';

/** What retention does to everything that a topic holds now: its records are gone, read or not. */
export async function dropRecords(
  brokers: readonly string[],
  topicPrefix: string,
  name: TopicName,
): Promise<number> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  const topic = topicPrefix + name;
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(topic);
    const partitions = offsets.map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic, partitions });
    return offsets.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
  } finally {
    await admin.disconnect();
  }
}
