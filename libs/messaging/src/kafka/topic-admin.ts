import { deadLetterTopic, type TopicName, topicNames, topics } from '@inventory/contracts/topics';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import type { Admin, ITopicConfig } from 'kafkajs';
import { createKafkaClient } from './kafkajs/client.ts';
import { untilSettled } from './kafkajs/read-as-admin.ts';
import { timingOf } from './timing.ts';

/** What a deployment states of its topics. */
export interface StatedTopics {
  readonly partitions: number;
  readonly replicationFactor: number;
  /** The services' own setting. */
  readonly topicPrefix: string;
}

export interface EnsureTopicsOptions extends KafkaAccess, StatedTopics {
  readonly logger: Logger;
}

const deadLetterRetentionMs = 90 * 24 * 3_600_000;
/** The broker's own limit plus the headers of a dead letter: every record fits. */
const deadLetterBytesMax = 1_048_588 + 16 * 1024;

/** How many request timeouts the creation of a topic may take, until all brokers have it. */
const settleRequests = 6;

/** Creates missing topics; run by deployment, never by a service. */
export async function ensureTopics(options: EnsureTopicsOptions): Promise<readonly string[]> {
  const kafka = createKafkaClient({ ...options, clientId: 'topic-admin' });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const { requestTimeoutMs: timeoutMs } = timingOf(options.timing);
    const created = await createMissing(admin, topicConfigs(options), timeoutMs);
    // The client's own wait fails on the first response of a broker that lacks the topics.
    await untilSettled(() => expectLeaders(admin, created), settleRequests * timeoutMs);
    return created;
  } finally {
    await admin.disconnect();
  }
}

/**
 * Creates missing topics and resolves with their names. A broker continues after the timeout of a
 * request, and a later request then finds the topics.
 */
export async function createMissing(
  admin: Admin,
  wanted: readonly ITopicConfig[],
  timeoutMs: number,
): Promise<readonly string[]> {
  const created = new Set<string>();
  await untilSettled(async () => {
    const existing = new Set(await admin.listTopics());
    const topics = wanted.filter(({ topic }) => !existing.has(topic));
    for (const { topic } of topics) created.add(topic);
    if (topics.length === 0) return;
    // The broker responds before the client's own timeout.
    await admin.createTopics({ topics, timeout: 0.9 * timeoutMs, waitForLeaders: false });
  }, settleRequests * timeoutMs);
  return [...created];
}

async function expectLeaders(admin: Admin, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await admin.fetchTopicMetadata({ topics: [...names] });
  for (const name of names) await admin.fetchTopicOffsets(name);
}

/** Topics whose messages have one order; every replica reads all of them. */
const ordered: readonly TopicName[] = ['authority.changes.v1', 'billing.price-lists.v1'];

/** Every topic and its dead letters, with partitions, replication and retention. */
export function topicConfigs(stated: StatedTopics): ITopicConfig[] {
  const { replicationFactor, topicPrefix } = stated;
  const minInSync = String(Math.max(1, replicationFactor - 1));
  const entries = (retentionMs: number) => [
    { name: 'retention.ms', value: String(retentionMs) },
    // Of the broker's own defaults either deletes records before their time.
    { name: 'retention.bytes', value: '-1' },
    { name: 'cleanup.policy', value: 'delete' },
    { name: 'min.insync.replicas', value: minInSync },
    { name: 'unclean.leader.election.enable', value: 'false' },
    // The clock of a sender decides nothing, and a rewind to a time finds what was written since.
    { name: 'message.timestamp.type', value: 'LogAppendTime' },
  ];
  return topicNames.flatMap((topic): ITopicConfig[] => {
    const { consumers, retentionMs } = topics[topic];
    const main = {
      topic: topicPrefix + topic,
      numPartitions: ordered.includes(topic) ? 1 : stated.partitions,
      replicationFactor,
      configEntries: entries(retentionMs),
    };
    if (consumers.length === 0) return [main];
    const letters = {
      topic: topicPrefix + deadLetterTopic(topic),
      numPartitions: 1,
      replicationFactor,
      configEntries: [
        ...entries(deadLetterRetentionMs),
        { name: 'max.message.bytes', value: String(deadLetterBytesMax) },
      ],
    };
    return [main, letters];
  });
}
