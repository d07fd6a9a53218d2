import type { MessageBus } from '@inventory/messaging/bus';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { ensureTopics } from '@inventory/messaging/kafka/topic-admin';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger, type Logger } from '@inventory/runtime/logger';

export const silentLogger: Logger = createLogger({ service: 'bench', level: 'silent' });

/** A bus of the product for what a benchmark sends and reads itself. */
export function openBus(kafkaBrokers: string, topicPrefix: string): Promise<MessageBus> {
  return createKafkaBus({
    brokers: kafkaBrokers.split(','),
    topicPrefix,
    service: 'bench',
    logger: silentLogger,
    identifiers: systemIdentifiers,
  });
}

/** The same, on topics of its own with so many partitions each. */
export async function openOwnTopics(
  kafkaBrokers: string,
  topicPrefix: string,
  partitions: number,
): Promise<MessageBus> {
  const brokers = kafkaBrokers.split(',');
  const logger = silentLogger;
  await ensureTopics({ brokers, topicPrefix, logger, partitions, replicationFactor: 1 });
  return openBus(kafkaBrokers, topicPrefix);
}
