import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import { createLogger } from '@inventory/runtime/logger';
import { createKafkaClient } from './kafkajs/client.ts';

/**
 * Number of brokers that serve clients; 0 while the only one is starting. One attempt: rejects when
 * no broker responds.
 */
export async function countBrokers(access: KafkaAccess): Promise<number> {
  const logger = createLogger({ service: 'count-brokers', level: 'silent' });
  const connection = { ...access, clientId: 'count-brokers', logger };
  const admin = createKafkaClient(connection, { retry: { retries: 0 } }).admin();
  await admin.connect();
  try {
    return (await admin.describeCluster()).brokers.length;
  } finally {
    await admin.disconnect();
  }
}
