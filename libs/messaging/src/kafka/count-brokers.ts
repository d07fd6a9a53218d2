import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import { createLogger } from '@inventory/runtime/logger';

/**
 * Number of brokers that serve clients; 0 while the only one is starting. One attempt: rejects when
 * no broker answers.
 */
export async function countBrokers(access: KafkaAccess): Promise<number> {
  const logger = createLogger({ service: 'count-brokers', level: 'silent' });
  const connection = { ...access, clientId: 'count-brokers', logger };
  if (access.client === 'platformatic') {
    const { readOnce } = await import('./platformatic/cluster-reads.ts');
    const { brokers } = await readOnce(connection, (admin) => admin.metadata({ topics: [] }));
    return brokers.size;
  }
  const { createKafkaClient } = await import('./kafkajs/client.ts');
  const admin = createKafkaClient(connection, { retry: { retries: 0 } }).admin();
  await admin.connect();
  try {
    return (await admin.describeCluster()).brokers.length;
  } finally {
    await admin.disconnect();
  }
}
