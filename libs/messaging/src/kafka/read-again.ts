import {
  consumerGroup,
  type ServiceName,
  type TopicName,
  topicNames,
  topics,
} from '@inventory/contracts/topics';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import type { Admin } from 'kafkajs';
import { createKafkaClient } from './client.ts';
import { readAsAdmin } from './read-as-admin.ts';

export interface ReadAgainOptions extends KafkaAccess {
  /** Whose groups go back; none of its replicas may be running. */
  readonly service: ServiceName;
  /** As the services' own setting. */
  readonly topicPrefix: string;
  readonly sinceMs: number;
  readonly logger: Logger;
}

/** Where a group reads a partition from now on. */
export interface PartitionStart {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: string;
}

/**
 * Takes a service's groups back to the first records that were written at a time or later, so that
 * a database restored from that time is given again what it has lost. Never forward: what is unread
 * stays so. Rejects while a group has members. Resolves with what was moved.
 */
export async function readAgainSince(
  options: ReadAgainOptions,
): Promise<readonly PartitionStart[]> {
  const kafka = createKafkaClient({ ...options, clientId: `${options.service}-read-again` });
  await readAsAdmin(kafka, (admin) => expectNobody(admin, options));
  const moved: PartitionStart[] = [];
  for (const topic of topicsReadBy(options.service)) {
    const starts = await readAsAdmin(kafka, (admin) => moveBack(admin, topic, options));
    moved.push(...starts.map((start) => ({ topic, ...start })));
  }
  return moved;
}

/** Where its replicas share the work; what each of them reads whole has no position. */
export function topicsReadBy(service: ServiceName): TopicName[] {
  return topicNames.filter((name) => {
    const { delivery, consumers } = topics[name];
    const readers: readonly ServiceName[] = consumers;
    return delivery === 'work' && readers.includes(service);
  });
}

/** A member would go on where it is, and commit that over what is set here. */
async function expectNobody(
  admin: Admin,
  { service, topicPrefix }: ReadAgainOptions,
): Promise<void> {
  const named = topicsReadBy(service).map((topic) => topicPrefix + consumerGroup(service, topic));
  const { groups } = await admin.describeGroups([...new Set(named)]);
  const running = groups.flatMap(({ members }) => members).length;
  if (running === 0) return;
  throw new Error(`${running} of ${service} are still running, or ended less than 15 s ago`);
}

async function moveBack(
  admin: Admin,
  name: TopicName,
  { service, topicPrefix, sinceMs }: ReadAgainOptions,
): Promise<{ partition: number; offset: string }[]> {
  const topic = topicPrefix + name;
  const groupId = topicPrefix + consumerGroup(service, name);
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
  const wanted = await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs);
  const starts = wanted.filter(({ partition, offset }) => {
    const now = committed?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
    return BigInt(offset) >= 0n && BigInt(now) > BigInt(offset);
  });
  const partitions = starts.map(({ partition, offset }) => ({ partition, offset }));
  if (partitions.length > 0) await admin.setOffsets({ groupId, topic, partitions });
  return partitions;
}
