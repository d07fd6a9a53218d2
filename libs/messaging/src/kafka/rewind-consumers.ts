import type { Environment } from '@inventory/contracts/environment';
import {
  consumerGroup,
  type ServiceName,
  type TopicName,
  topicsOf,
} from '@inventory/contracts/topics';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import type { Admin } from 'kafkajs';
import { createKafkaClient } from './kafkajs/client.ts';
import { readAsAdmin } from './kafkajs/read-as-admin.ts';

export interface RewindOptions extends KafkaAccess {
  /** Its groups are rewound; none of its replicas may be running. */
  readonly service: ServiceName;
  /** Of a service that each environment has its own of; live when absent. */
  readonly environment?: Environment | undefined;
  /** The services' own setting. */
  readonly topicPrefix: string;
  /** Milliseconds since the epoch. */
  readonly toMs: number;
  readonly logger: Logger;
}

/** The new position of a group in one partition. */
export interface RewoundPartition {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: string;
}

/**
 * Rewinds a service's groups to the first records written at a time or later, so that a database
 * restored from that time receives what it has lost. Positions move backwards only. Rejects while a
 * group has members. Resolves with the partitions that were rewound.
 */
export async function rewindConsumers(
  options: RewindOptions,
): Promise<readonly RewoundPartition[]> {
  const kafka = createKafkaClient({ ...options, clientId: `${options.service}-rewind` });
  await readAsAdmin(kafka, (admin) => requireNoMembers(admin, options));
  const rewound: RewoundPartition[] = [];
  for (const topic of topicsOf(options.service, 'consumers')) {
    const partitions = await readAsAdmin(kafka, (admin) => rewindTopic(admin, topic, options));
    rewound.push(...partitions.map((partition) => ({ topic, ...partition })));
  }
  return rewound;
}

/** A running member would commit its own position over the one that is set here. */
async function requireNoMembers(
  admin: Admin,
  { service, environment, topicPrefix }: RewindOptions,
): Promise<void> {
  const groupIds = topicsOf(service, 'consumers').map(
    (topic) => topicPrefix + consumerGroup(service, topic, environment),
  );
  const { groups } = await admin.describeGroups([...new Set(groupIds)]);
  const running = groups.flatMap(({ members }) => members).length;
  if (running === 0) return;
  throw new Error(`${running} of ${service} are still running, or ended less than 15 s ago`);
}

async function rewindTopic(
  admin: Admin,
  name: TopicName,
  { service, environment, topicPrefix, toMs }: RewindOptions,
): Promise<{ partition: number; offset: string }[]> {
  const topic = topicPrefix + name;
  const groupId = topicPrefix + consumerGroup(service, name, environment);
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const wanted = await admin.fetchTopicOffsetsByTimestamp(topic, toMs);
  const earlier = wanted.filter(({ partition, offset }) => {
    const current =
      committed?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
    return BigInt(offset) >= 0n && BigInt(current) > BigInt(offset);
  });
  const partitions = earlier.map(({ partition, offset }) => ({ partition, offset }));
  if (partitions.length > 0) await admin.setOffsets({ groupId, topic, partitions });
  return partitions;
}
