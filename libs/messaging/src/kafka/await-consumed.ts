import type { Environment } from '@inventory/contracts/environment';
import { consumerGroup, type ServiceName, topicsOf } from '@inventory/contracts/topics';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { Admin } from 'kafkajs';
import { createKafkaClient } from './kafkajs/client.ts';
import { readAsAdmin } from './kafkajs/read-as-admin.ts';

export interface AwaitConsumedOptions extends KafkaAccess {
  readonly service: ServiceName;
  /** Of a service that each environment has its own of; live when absent. */
  readonly environment?: Environment | undefined;
  /** The services' own setting. */
  readonly topicPrefix: string;
  readonly logger: Logger;
  /** Ends the wait, which then rejects. */
  readonly signal?: AbortSignal;
}

/** A partition that has records, up to where it had them when the wait began. */
interface Wanted {
  readonly topic: string;
  readonly groupId: string;
  readonly partition: number;
  readonly end: bigint;
}

const checkIntervalMs = 500;

/**
 * Resolves when a service's groups have handled every record that their topics have at the call. It goes
 * by committed positions: the measured lag of a replica is 0 before its first fetch as well.
 */
export async function awaitConsumed(options: AwaitConsumedOptions): Promise<void> {
  const { service, logger, signal } = options;
  const kafka = createKafkaClient({ ...options, clientId: `${service}-wait` });
  let wanted = await readAsAdmin(kafka, (admin) => readEnds(admin, options));
  for (;;) {
    wanted = await readAsAdmin(kafka, (admin) => unfinished(admin, wanted));
    if (wanted.length === 0) return;
    logger.info({ partitions: wanted.length }, 'waiting for consumers');
    await pause(checkIntervalMs, signal);
    signal?.throwIfAborted();
  }
}

async function readEnds(
  admin: Admin,
  { service, environment, topicPrefix }: AwaitConsumedOptions,
): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const name of topicsOf(service, 'consumers')) {
    const topic = topicPrefix + name;
    const groupId = topicPrefix + consumerGroup(service, name, environment);
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
      if (low !== high) wanted.push({ topic, groupId, partition, end: BigInt(high) });
  }
  return wanted;
}

async function unfinished(admin: Admin, wanted: readonly Wanted[]): Promise<Wanted[]> {
  const left: Wanted[] = [];
  for (const topic of new Set(wanted.map((one) => one.topic))) {
    const ofTopic = wanted.filter((one) => one.topic === topic);
    const groupId = ofTopic[0]?.groupId ?? '';
    const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const positions = new Map(
      committed?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]),
    );
    left.push(...ofTopic.filter(({ partition, end }) => (positions.get(partition) ?? -1n) < end));
  }
  return left;
}
