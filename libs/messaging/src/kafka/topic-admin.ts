import { deadLetterTopic, topicNames, topics } from '@inventory/contracts/topics';
import { monotonicNow } from '@inventory/runtime/clock';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { type Admin, type ITopicConfig, KafkaJSProtocolError } from 'kafkajs';
import { createKafkaClient } from './client.ts';

export interface EnsureTopicsOptions extends KafkaAccess {
  readonly partitions: number;
  readonly replicationFactor: number;
  /** As the services' own setting. */
  readonly topicPrefix: string;
  readonly logger: Logger;
}

const deadLetterRetentionMs = 90 * 24 * 3_600_000;
/** The broker's own limit and what a letter adds to its record: every record fits. */
const deadLetterBytesMax = 1_048_588 + 16 * 1024;

/** Creates the topics that are missing; run by deployment, never by a service. */
export async function ensureTopics(options: EnsureTopicsOptions): Promise<readonly string[]> {
  const kafka = createKafkaClient({ ...options, clientId: 'topic-admin' });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const missing = topicConfigs(options).filter(({ topic }) => !existing.has(topic));
    if (missing.length > 0) await admin.createTopics({ topics: missing, waitForLeaders: false });
    // The client's own wait fails on the first answer from before the topics are known.
    await untilSettled(() =>
      expectLeaders(
        admin,
        missing.map(({ topic }) => topic),
      ),
    );
    return missing.map(({ topic }) => topic);
  } finally {
    await admin.disconnect();
  }
}

const settleDeadlineMs = 60_000;
const settlePauseMs = 100;

/**
 * Repeats an administrative question while the cluster is still making up its mind: a topic that
 * was just created, or moved, has no leader everybody knows yet.
 */
export async function untilSettled<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const startMs = monotonicNow();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const settling = error instanceof KafkaJSProtocolError && error.retriable;
      if (!settling || monotonicNow() - startMs > settleDeadlineMs) throw error;
      await pause(settlePauseMs);
    }
  }
}

async function expectLeaders(admin: Admin, names: string[]): Promise<void> {
  if (names.length === 0) return;
  await admin.fetchTopicMetadata({ topics: names });
  for (const name of names) await admin.fetchTopicOffsets(name);
}

/** Every topic and its dead letters, with partitions, replication and retention. */
export function topicConfigs(
  options: Pick<EnsureTopicsOptions, 'partitions' | 'replicationFactor' | 'topicPrefix'>,
): ITopicConfig[] {
  const { replicationFactor, topicPrefix } = options;
  const minInSync = String(Math.max(1, replicationFactor - 1));
  const entries = (retentionMs: number) => [
    { name: 'retention.ms', value: String(retentionMs) },
    { name: 'min.insync.replicas', value: minInSync },
    { name: 'unclean.leader.election.enable', value: 'false' },
  ];
  return topicNames.flatMap((topic): ITopicConfig[] => {
    const { delivery, retentionMs } = topics[topic];
    const main = {
      topic: topicPrefix + topic,
      // Every replica reads a broadcast topic whole: one partition keeps it cheap.
      numPartitions: delivery === 'broadcast' ? 1 : options.partitions,
      replicationFactor,
      configEntries: entries(retentionMs),
    };
    if (delivery === 'broadcast') return [main];
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

/** Topics are made by deployment; a service that starts before them says which are missing. */
export class TopicsMissing extends Error {
  override name = 'TopicsMissing';
  /** They may be there in a moment: brokers learn of new topics one after the other. */
  readonly retriable = true;
}

export async function requireTopics(admin: Admin, topics: readonly string[]): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = topics.filter((topic) => !existing.has(topic));
  if (missing.length > 0) throw new TopicsMissing(`Kafka has no topic ${missing.join(', ')}`);
}
