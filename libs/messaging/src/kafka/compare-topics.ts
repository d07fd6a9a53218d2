import { topicNames, topics } from '@inventory/contracts/topics';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import { type Admin, ConfigResourceTypes, type ITopicConfig } from 'kafkajs';
import { createKafkaClient } from './kafkajs/client.ts';
import { readAsAdmin } from './kafkajs/read-as-admin.ts';

/** A topic as the cluster has it. */
export interface FoundTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly replicas: number;
  /** Null where this user may not read them. */
  readonly settings: Readonly<Record<string, string>> | null;
}

/** What a topic, or a broker, has instead of what the services rely on. */
export interface TopicDifference {
  readonly of: string;
  readonly setting: string;
  readonly found: string;
  readonly wanted: string;
}

const minuteMs = 60_000;
const retentionSetting = 'offsets.retention.minutes';
/** Positions of a group that is down are kept for as long as what it has still to read. */
const offsetsRetentionMin = Math.max(
  ...topicNames.map((name) => topics[name].retentionMs / minuteMs),
);

/**
 * Compares topics that exist with those that would be created, and the brokers' retention of positions
 * with that of the topics. Nothing is changed: each difference is logged, and resolved with.
 */
export async function compareTopics(
  access: KafkaAccess,
  wanted: readonly ITopicConfig[],
  logger: Logger,
): Promise<readonly TopicDifference[]> {
  const kafka = createKafkaClient({ ...access, logger, clientId: 'topic-admin' });
  const names = wanted.map(({ topic }) => topic);
  const found = await readAsAdmin(kafka, (admin) => readTopics(admin, names));
  const retentions = await readAsAdmin(kafka, readOffsetsRetention);
  if (found.some(({ settings }) => settings === null))
    logger.warn('settings of topics not compared: this user may not describe them');
  if (retentions === null)
    logger.warn({ setting: retentionSetting }, 'not compared: the brokers do not tell this user');
  const differences = [...differencesOf(wanted, found), ...shortRetentions(retentions ?? [])];
  for (const difference of differences)
    logger.error(difference, 'Kafka differs from what is stated');
  return differences;
}

/** Differences of the topics that exist. */
export function differencesOf(
  wanted: readonly ITopicConfig[],
  found: readonly FoundTopic[],
): readonly TopicDifference[] {
  return found.flatMap(({ topic, partitions, replicas, settings }) => {
    const stated = wanted.find((one) => one.topic === topic);
    const pairs: [string, string | undefined, string][] = [
      ['partitions', String(partitions), String(stated?.numPartitions ?? partitions)],
      ['replication factor', String(replicas), String(stated?.replicationFactor ?? replicas)],
      ...(settings === null ? [] : (stated?.configEntries ?? [])).map(
        ({ name, value }): [string, string | undefined, string] => [name, settings?.[name], value],
      ),
    ];
    return pairs
      .filter(([, is, value]) => is !== undefined && is !== value)
      .map(([setting, is, value]) => ({ of: topic, setting, found: is ?? '', wanted: value }));
  });
}

interface BrokerRetention {
  readonly broker: string;
  readonly minutes: string;
}

/** Brokers that forget the positions of a group sooner than topics its records. */
export function shortRetentions(found: readonly BrokerRetention[]): readonly TopicDifference[] {
  const wanted = String(offsetsRetentionMin);
  return found
    .filter(({ minutes }) => Number(minutes) < offsetsRetentionMin)
    .map(({ broker, minutes: is }) => ({
      of: `broker ${broker}`,
      setting: retentionSetting,
      found: is,
      wanted,
    }));
}

async function readTopics(admin: Admin, names: readonly string[]): Promise<FoundTopic[]> {
  const metadata = await admin.fetchTopicMetadata({ topics: [...names] });
  const settings = await unlessRefused(() => readSettings(admin, names));
  return metadata.topics.map(({ name, partitions }) => ({
    topic: name,
    partitions: partitions.length,
    replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    settings: settings?.get(name) ?? null,
  }));
}

async function readSettings(admin: Admin, names: readonly string[]) {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Object.fromEntries(
        configEntries.map(({ configName, configValue }) => [configName, configValue]),
      ),
    ]),
  );
}

function readOffsetsRetention(admin: Admin): Promise<BrokerRetention[] | null> {
  return unlessRefused(async () => {
    const { brokers } = await admin.describeCluster();
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: brokers.map(({ nodeId }) => ({
        type: ConfigResourceTypes.BROKER,
        name: String(nodeId),
        configNames: [retentionSetting],
      })),
    });
    return resources.flatMap(({ resourceName, configEntries }) =>
      configEntries
        .filter(({ configName }) => configName === retentionSetting)
        .map(({ configValue }) => ({ broker: resourceName, minutes: configValue })),
    );
  });
}

/** Null where the user has no right to it. */
async function unlessRefused<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    const { type } = error as { readonly type?: unknown };
    if (typeof type === 'string' && type.endsWith('_AUTHORIZATION_FAILED')) return null;
    throw error;
  }
}
