import type { TopicName } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';

/** A broker that checks for expired records often enough for a test; by default every 5 minutes. */
export const eagerRetention = {
  'log.retention.check.interval.ms': 500,
  'log.initial.task.delay.ms': 500,
} as const;

const shortRetention = [
  { name: 'retention.ms', value: '1000' },
  { name: 'segment.ms', value: '1000' },
  { name: 'segment.bytes', value: String(1024 * 1024) },
];

/**
 * Sets the topic's retention to a second. Resolves when all its present records have expired, with
 * their number.
 */
export async function letRecordsExpire(
  brokers: readonly string[],
  topicPrefix: string,
  name: TopicName,
): Promise<number> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  const topic = topicPrefix + name;
  await admin.connect();
  try {
    const held = await admin.fetchTopicOffsets(topic);
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries: shortRetention }],
    });
    await waitFor('the broker removes expired records', async () => {
      const kept = await admin.fetchTopicOffsets(topic);
      return held.every(({ partition, high }) => {
        const low = kept.find((one) => one.partition === partition)?.low ?? '0';
        return BigInt(low) >= BigInt(high);
      });
    });
    return held.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
  } finally {
    await admin.disconnect();
  }
}
